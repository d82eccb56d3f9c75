"""The game of `higher`, with one thing wrong in its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena import MalformedLineError, Question
from tests.testing.games.higher import Guess, Hand, Lines, describe, higher


class Trusting(Lines):
    """Takes every line for a number."""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the number, or raise ValueError."""
        return line if isinstance(question, Guess) else int(line)


class Unreasoning(Lines):
    """Says nothing about what is malformed."""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer, or no reason."""
        try:
            return super().read(question, line)
        except MalformedLineError:
            raise MalformedLineError from None


class Off(Lines):
    """Says another card than it means."""

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the answer, or one more."""
        return str(answer + 1 if isinstance(answer, int) else answer)


class Unsplit(Lines):
    """Has two lines in one."""

    def tell(self, event: Any) -> Iterable[str]:
        """Return lines as one."""
        return ("\n".join(["next", *super().tell(event)]),)


class Numbers(Lines):
    """Gives numbers, not lines."""

    def tell(self, event: Any) -> Iterable[Any]:
        """Return the cards."""
        return event.cards if isinstance(event, Hand) else super().tell(event)


def silent(message: Any, names: Sequence[str]) -> str:
    """Do not say what you hold."""
    return "" if isinstance(message, Hand) else describe(message, names)


def raw(message: Any, names: Sequence[str]) -> str:
    """Show how a question is made."""
    return f"{object()}" if isinstance(message, Guess) else describe(message, names)


TRUSTING = higher(wires={"text": Trusting})
UNREASONING = higher(wires={"text": Unreasoning})
OFF = higher(wires={"text": Off})
UNSPLIT = higher(wires={"text": Unsplit})
NUMBERS = higher(wires={"text": Numbers})
SILENT = higher(describe=silent)
RAW = higher(describe=raw)
