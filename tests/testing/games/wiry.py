"""The game of `higher`, with one thing wrong in its lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena import MalformedLineError, Question
from tests.testing.games.higher import Guess, Hand, HigherNarrator, Lines, higher


class Trusting(Lines):
    """Takes every line for a number."""

    def read(self, question: Question[Any], line: str) -> object:
        return line if isinstance(question, Guess) else int(line)


class Unreasoning(Lines):
    """Says nothing about what is malformed."""

    def read(self, question: Question[Any], line: str) -> object:
        try:
            return super().read(question, line)
        except MalformedLineError:
            raise MalformedLineError from None


class Off(Lines):
    """Says another card than it means."""

    def say(self, question: Question[Any], answer: Any) -> str:
        return str(answer + 1 if isinstance(answer, int) else answer)


class Unsplit(Lines):
    """Has two lines in one."""

    def tell(self, event: Any) -> Iterable[str]:
        return ("\n".join(["next", *super().tell(event)]),)


class Numbers(Lines):
    """Gives numbers, not lines."""

    def tell(self, event: Any) -> Iterable[Any]:
        return event.cards if isinstance(event, Hand) else super().tell(event)


class Silent(HigherNarrator):
    """Does not say what you hold."""

    def describe(self, message: Any) -> Iterable[str]:
        return [""] if isinstance(message, Hand) else super().describe(message)


class Wordless(HigherNarrator):
    """Has no word for a question."""

    def describe(self, message: Any) -> Iterable[str]:
        return [] if isinstance(message, Guess) else super().describe(message)


class Raw(HigherNarrator):
    """Shows how a question is made."""

    def describe(self, message: Any) -> Iterable[str]:
        return [f"{object()}"] if isinstance(message, Guess) else super().describe(message)


TRUSTING = higher(wires={"text": Trusting})
UNREASONING = higher(wires={"text": Unreasoning})
OFF = higher(wires={"text": Off})
UNSPLIT = higher(wires={"text": Unsplit})
NUMBERS = higher(wires={"text": Numbers})
SILENT = higher(narrator=Silent)
WORDLESS = higher(narrator=Wordless)
RAW = higher(narrator=Raw)
