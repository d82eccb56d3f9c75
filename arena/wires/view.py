"""Lines for people: what a person at a seat, or one who watches, is shown.

A view is a codec. At a seat it is told what the seat is told, asks what the seat is
asked, and reads what a person types. For one who watches (seat None) it is told what is
announced, and beside that `PrivateEvent` and `AnswerEvent`: what one seat was told, and what it
answered; a view that has no words for them leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Protocol, Self

from attrs import frozen

from arena.rules import OneOf, Question, Seat, SomeOf, Text
from arena.wires.codec import Greeting, MalformedLineError


class Describer(Protocol):
    """How a game says an event or a question in words."""

    def __call__(self, message: Any, names: Sequence[str]) -> str:
        """Return one line; `names` are the players' in seat order."""


class Mark(Enum):
    """Why a line stands out: it begins something, or is good or bad news for who reads it."""

    HEADING = "heading"  #: it begins something
    WON = "won"  #: good news
    LOST = "lost"  #: bad news


class MarkedLine(str):
    """A line of a view that stands out where the terminal has colours; else it is as any."""

    __slots__ = ("mark",)
    mark: Mark  #: why it stands out

    def __new__(cls, text: str, mark: Mark) -> Self:
        """Mark this text."""
        line = super().__new__(cls, text)
        line.mark = mark
        return line


class ForcedAnswers(Protocol):
    """What a view may have beside a codec's methods: answers for its person."""

    def find_forced_answer(self, question: Question[Any]) -> Any:
        """Return the answer where there is nothing to decide, so that nobody is asked; or None."""


@frozen
class PrivateEvent:
    """For who watches: only this seat was told of the event."""

    seat: Seat  #: who was told
    event: Any  #: of what


@frozen
class AnswerEvent:
    """For who watches: this seat answered so."""

    seat: Seat  #: who answered
    question: Question[Any]  #: what was asked
    answer: Any  #: what the answer was


@frozen
class PlainView:
    """A view for every game, from the words that its `describe` finds."""

    describe: Describer
    names: Sequence[str]

    def tell(self, event: Any) -> Iterable[str]:
        """Return a line for each event."""
        match event:
            case Greeting():
                return ()
            case PrivateEvent(seat, told):
                return (f"({self.names[seat]} is told: {self.describe(told, self.names)})",)
            case AnswerEvent(seat, question, answer):
                return (f"{self.names[seat]}: {self.say(question, answer)}",)
        return (self.describe(event, self.names),)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and what may be answered."""
        return (self.describe(question, self.names), f"  ({describe_options(question.options)})")

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer that is written so, or raise MalformedLineError."""
        return parse_words(question.options, line.split(), line)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it is typed."""
        return (
            " ".join(map(format_value, answer))
            if isinstance(answer, tuple)
            else format_value(answer)
        )


def format_value(value: object) -> str:
    """Write one thing that may be answered: yes and no for a bool."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(format_value, value)) if isinstance(value, tuple) else str(value)


def describe_options(options: object) -> str:
    """Return the answers that may be typed, in words."""
    match options:
        case OneOf():
            return " | ".join(map(format_value, options))
        case SomeOf(cards):
            sizes = options.sizes
            count = sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
            return f"{count} of: {' '.join(map(format_value, cards))}"
        case Text(pattern):
            return f"a text that matches {pattern}"
    return "see the rules"


def parse_words(options: object, words: Sequence[str], line: str) -> object:
    """Parse typed words as an answer to these options, ignoring case."""
    match options:
        case OneOf():
            return _find_choice(options, " ".join(words))
        case SomeOf(cards):
            return tuple(_find_choice(cards, word) for word in words)
    return line


def _find_choice(choices: Iterable[Any], typed: str) -> Any:
    found = [choice for choice in choices if format_value(choice).casefold() == typed.casefold()]
    if not found:
        raise MalformedLineError(f"{typed!r} is not one of: {' '.join(map(format_value, choices))}")
    return found[0]
