"""A seat's lines: events and questions become lines, lines become answers.

A codec knows messages, and neither rules nor pipes. Text wires come with the games; a
view is a codec whose lines are for people; `arena.wires.jsonlines` speaks for every game.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from attrs import frozen

from arena.rules import Question, Seat


class MalformedLineError(Exception):
    """A line that is not an answer in this protocol; the message says why."""


class Codec(Protocol):
    """The protocol of a seat as lines, which are given without their newline.

    Where a game asks for the first answer (`Table.ask_first`), a codec may have a method
    more, `withdraw(question)`: the lines by which a seat learns that it was too late.
    """

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines that tell the seat of an event, possibly none."""

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the lines that ask a question, possibly none if an event was the prompt."""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer in a line, or raise MalformedLineError; the options judge it later."""

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line that `read` reads as this answer."""


def encode_withdrawal(codec: Codec, question: Question[Any]) -> Iterable[str]:
    """Return the lines that take a question back, if the protocol has any."""
    withdraw = getattr(codec, "withdraw", None)
    return withdraw(question) if withdraw else ()


@frozen
class Greeting:
    """The first event of every match, from the host; a text wire may have no line for it."""

    game: str  #: its name
    seat: Seat  #: where the bot sits
    seats: int  #: how many play
    variant: Any  #: the game's parameters
    seed: str  #: the bot's own: all its chance may come from here
    format: int = 1  #: of the JSON lines; a change that breaks bots counts it up
