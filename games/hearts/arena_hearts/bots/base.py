"""What the bundled bots have in common: they keep the table in mind."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question
from arena.cards import Card, Cards
from arena_hearts.memory import Memory
from arena_hearts.messages import Pass, Play


class CardPlayer(Bot):
    """Derive from it: say what it `passes`, and what it `plays`; `memory` is its table."""

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Sit down, knowing nothing."""
        super().greet(greeting)
        self.memory = Memory(self.seat, self.seats, self.variant)

    def hear(self, event: Any) -> None:
        """Keep it in mind."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return three cards, or one."""
        match question:
            case Pass(options):
                return self.passes(options.cards)
            case Play(options):
                return options[0] if len(options) == 1 else self.plays(options)
        raise TypeError(f"unknown question {type(question).__name__}")

    def passes(self, hand: Cards) -> Cards:
        """Return three cards of the hand."""
        raise NotImplementedError

    def plays(self, cards: Cards) -> Card:
        """Return one of the cards that may be played; there are at least two."""
        raise NotImplementedError
