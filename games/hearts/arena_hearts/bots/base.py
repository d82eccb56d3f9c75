"""The base class of the bundled bots, which remembers the table."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question
from arena.cards import Card, Cards
from arena_hearts.memory import Memory
from arena_hearts.messages import PassCards, PlayCard


class CardPlayer(Bot):
    """Base class: subclasses implement `passes` and `plays`, using `memory`."""

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, self.seats, self.variant)

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return three cards, or one."""
        match question:
            case PassCards(options):
                return self.passes(options.cards)
            case PlayCard(options):
                return options[0] if len(options) == 1 else self.plays(options)
        raise TypeError(f"unknown question {type(question).__name__}")

    def passes(self, hand: Cards) -> Cards:
        """Return three cards of the hand."""
        raise NotImplementedError

    def plays(self, cards: Cards) -> Card:
        """Return one of the playable cards; there are at least two."""
        raise NotImplementedError
