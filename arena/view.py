"""Lines for people: what a person at a seat, or one who watches, is shown.

A view is a codec. At a seat it is told what the seat is told, asks what the seat is
asked, and reads what a person types. For one who watches (seat None) it is told what is
announced, and beside that `Private` and `Said`: what one seat was told, and what it
answered; a view that has no words for them leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from attrs import frozen

from arena.codec import Greeting, Malformed
from arena.options import OneOf, SomeOf, Text
from arena.table import Question, Seat


class Describe(Protocol):
    """How a game says an event or a question in words."""

    def __call__(self, message: Any, names: Sequence[str]) -> str:
        """Give one line; `names` are the players' in seat order."""


@frozen
class Private:
    """For who watches: only this seat was told of the event."""

    seat: Seat
    event: Any


@frozen
class Said:
    """For who watches: this seat answered so."""

    seat: Seat
    question: Question[Any]
    answer: Any


@frozen
class PlainView:
    """A view for every game, from the words that its `describe` finds."""

    describe: Describe
    names: Sequence[str]

    def tell(self, event: Any) -> Iterable[str]:
        """Give a line for each event."""
        match event:
            case Greeting():
                return ()
            case Private(seat, told):
                return (f"({self.names[seat]} is told: {self.describe(told, self.names)})",)
            case Said(seat, question, answer):
                return (f"{self.names[seat]}: {self.say(question, answer)}",)
        return (self.describe(event, self.names),)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Give the question, and what may be answered."""
        return (self.describe(question, self.names), f"  ({allowed(question.options)})")

    def read(self, question: Question[Any], line: str) -> object:
        """Give the answer that is written so, or raise Malformed."""
        return read_plainly(question.options, line.split(), line)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Give an answer as it is typed."""
        return " ".join(map(word, answer)) if isinstance(answer, tuple) else word(answer)


def word(value: object) -> str:
    """Write one thing that may be answered: yes and no for a bool."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(word, value)) if isinstance(value, tuple) else str(value)


def allowed(options: object) -> str:
    """Say what may be typed."""
    match options:
        case OneOf():
            return " | ".join(map(word, options))
        case SomeOf(cards):
            sizes = options.sizes
            count = sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
            return f"{count} of: {' '.join(map(word, cards))}"
        case Text(pattern):
            return f"a text that matches {pattern}"
    return "see the rules"


def read_plainly(options: object, words: Sequence[str], line: str) -> object:
    """Give what these words mean among the options; the case of letters does not matter."""
    match options:
        case OneOf():
            return _find(options, " ".join(words))
        case SomeOf(cards):
            return tuple(_find(cards, one) for one in words)
    return line


def _find(choices: Iterable[Any], typed: str) -> Any:
    found = [choice for choice in choices if word(choice).casefold() == typed.casefold()]
    if not found:
        raise Malformed(f"{typed!r} is not among: {' '.join(map(word, choices))}")
    return found[0]
