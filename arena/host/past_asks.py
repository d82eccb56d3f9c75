"""The asks of a match that was interrupted, with which the host plays it up to where it was.

A match is its seed and its answers. Players are asked again what they were asked, so that bots come
to know and draw what they did; what they reply is dropped, and the recorded answers count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

from attrs import frozen

from arena.plugins import Game
from arena.records import unpack_verdict
from arena.rules import Seat, Verdict
from arena.wires import freeze


@frozen
class PastAnswer:
    """An answer that was given before the interruption."""

    seat: Seat
    answer: Any
    seconds: float  #: by the seat's clock
    latency: float  #: seconds that the host took to find it


@frozen
class PastAsk:
    """An ask that was answered before the interruption."""

    answers: tuple[PastAnswer, ...]  #: in the order in which the transcript has them
    verdicts: Mapping[Seat, Verdict]  #: of those who failed in it

    @classmethod
    def parse(cls, game: Game, lines: Iterable[str]) -> Self:
        """Read an ask from the lines of its transcript that have answers and verdicts.

        Raises:
            ValueError: where that is not what they have.
        """
        answers, verdicts = [], {}
        try:
            for value in map(json.loads, lines):
                if "verdict" in value:
                    verdict = value["verdict"]
                    verdicts[verdict["seat"]] = unpack_verdict(game, verdict)
                else:
                    answers.append(
                        PastAnswer(
                            value["from"], freeze(value["answer"]),
                            value["seconds"], value["latency"],
                        )
                    )  # fmt: skip
        except (KeyError, TypeError) as problem:
            raise ValueError(f"no answers of a transcript: {problem!r}") from None
        return cls(tuple(answers), verdicts)
