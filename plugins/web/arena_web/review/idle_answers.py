"""Answers that changed nothing: the round would have ended alike with every other one.

In BS such an answer is a boast, or a pass where somebody else called. The last ask of each round is
answered again with other answers in place of one. To an earlier answer others may have reacted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from arena import Game, OneOf, Play
from arena.records import Transcript
from arena.rules import GivenAnswer, Options, is_same
from arena.wires import freeze


def find_idle_answers(game: Game, transcript: Transcript) -> Iterator[int]:
    """Yield the lines of the answers of all seats that changed nothing."""
    header = transcript.header
    play = Play.deal(header.read_variant(game), transcript.seats, header.seed)
    given = list[GivenAnswer]()  # in this round
    asked = dict[int, tuple[int, Options[object]]]()  # in this ask: the place among them, by lines
    for line in transcript.lines:
        match line.value:
            case {"from": int(seat), "answer": answer}:
                position, number, closed = play.position, play.number, play.closed
                asked[line.number] = len(given), play.pending[seat].options
                given.append((seat, play.answer(seat, freeze(answer))))
                if play.number > number:
                    play_again = partial(Play, position, play.seats, play.seed, number)
                    for asked_at, (place, options) in asked.items():
                        if _is_idle(given, place, options, play_again, play):
                            yield asked_at
                    given = []
                if (play.number, play.closed) != (number, closed):
                    asked = {}


def _is_idle(
    given: list[GivenAnswer],
    place: int,
    options: Options[object],
    play_again: partial[Play],
    after: Play,
) -> bool:
    """Return whether each other option in place of an answer leads to the same position."""
    if not isinstance(options, OneOf):
        return False
    seat, answer = given[place]
    for other in options:
        if not is_same(other, answer):
            answers = [*given[:place], (seat, other), *given[place + 1 :]]
            try:
                again = play_again(answers=answers)
            except Exception:  # noqa: BLE001  # then something else would have been asked
                return False
            if (again.number, again.position) != (after.number, after.position):
                return False
    return True
