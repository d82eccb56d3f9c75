"""What a person who asks for a hint is given: the hint in the words of the game, or why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import asdict, frozen

from arena import Hint, HintSource
from arena.wires import to_printable


@frozen
class GivenAnswer:
    """An answer of a hint, as a page shows it."""

    answer: Any  #: the value that the page would send
    label: str  #: the answer in the words of the game
    share: float  #: how often to give it, from 0 to 1
    text: str  #: what is then to be expected; may be empty


@frozen
class GivenHint:
    """A hint as a page shows it."""

    source: str  #: who gives it
    text: str
    answers: Sequence[GivenAnswer]

    @classmethod
    def of(cls, source: HintSource, hint: Hint, say: Callable[[Any], str]) -> GivenHint:
        """Return a hint of a source, with its answers in the words of the game."""
        answers = [
            GivenAnswer(
                candidate.answer,
                to_printable(say(candidate.answer)),
                min(1.0, max(0.0, candidate.share)),
                to_printable(candidate.text),
            )
            for candidate in hint.answers
        ]
        return cls(to_printable(hint.source or source.title), to_printable(hint.text), answers)

    @property
    def json(self) -> dict[str, Any]:
        """The hint as JSON."""
        return asdict(self)


@frozen
class NoHint:
    """That no source knows the position."""

    reason: str

    @property
    def json(self) -> dict[str, Any]:
        """The reason as JSON."""
        return {"none": self.reason}
