"""The base class of the bundled bots, which remembers the table."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question
from arena.cards import Cards
from arena_bs.bots.memory import Memory
from arena_bs.messages import BS, PASS, PEANUT_BUTTER, ChooseCards, Nickname


class CardPlayer(Bot):
    """Base class: subclasses override `lay`, `doubts` (a claim) and `brags`.

    All three methods read the table from `memory`. The defaults are honest where possible, and call
    impossible claims.
    """

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, range(self.seats))

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return a name, cards, or a declaration."""
        match question:
            case Nickname():
                return type(self).__name__
            case ChooseCards():
                self.memory.laid = self.lay()
                return self.memory.laid
        return self._declare()

    def _declare(self) -> str:
        if self.memory.current == self.seat:
            return PEANUT_BUTTER if self.brags() else PASS
        return BS if self.doubts() else PASS

    def lay(self) -> Cards:
        """Return all cards of the rank, or else the single card that is needed last."""
        return self.memory.cards_of_rank or self.memory.hand_by_need[:1]

    def doubts(self) -> bool:
        """Return whether to call the claim."""
        return self.memory.is_impossible

    def brags(self) -> bool:
        """Return whether to declare Peanut Butter."""
        return False

    @property
    def bluffing(self) -> bool:
        """Whether its last play was a lie."""
        return any(card[0] != self.memory.rank for card in self.memory.laid)
