"""What the bundled bots have in common: they keep the table in mind, and speak in turn."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question
from arena.cards import Cards
from arena_bs.bots.memory import Memory
from arena_bs.messages import BS, PASS, PEANUT_BUTTER, Lay, Nickname


class CardPlayer(Bot):
    """Derive from it: say what to `lay`, when it `doubts` a claim, when it `brags`.

    All three see the table through `memory`. As it stands it is honest as far as it can
    be, and doubts what is impossible.
    """

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Sit down, knowing nothing."""
        super().greet(greeting)
        self.memory = Memory(self.seat, range(self.seats))

    def hear(self, event: Any) -> None:
        """Keep it in mind."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return a name, cards, or a declaration."""
        match question:
            case Nickname():
                return type(self).__name__
            case Lay():
                self.memory.laid = self.lay()
                return self.memory.laid
        return self._declare()

    def _declare(self) -> str:
        if self.memory.current == self.seat:
            return PEANUT_BUTTER if self.brags() else PASS
        return BS if self.doubts() else PASS

    def lay(self) -> Cards:
        """Return what there is of the rank, else the one card that is needed last."""
        return self.memory.honest or self.memory.needed_last[:1]

    def doubts(self) -> bool:
        """Is the claim to be called?"""
        return self.memory.impossible

    def brags(self) -> bool:
        """Is Peanut Butter to be declared?"""
        return False

    @property
    def bluffing(self) -> bool:
        """Is there a lie in what it has just laid?"""
        return any(card[0] != self.memory.rank for card in self.memory.laid)
