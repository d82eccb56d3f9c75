"""Bots that never lie."""

from __future__ import annotations

from arena import Seat
from arena_coup.bots.base import Courtier
from arena_coup.characters import (
    ASSASSIN,
    ASSASSINATE,
    CAPTAIN,
    COUP,
    DUKE,
    FOREIGN_AID,
    INCOME,
    STEAL,
    TAX,
    Character,
    Deed,
    written,
)


class Honest(Courtier):
    """Claims what it holds, and nothing else; challenges what cannot be."""

    def act(self, actions: tuple[str, ...]) -> str:
        """Strike if it can, else take the coins that nobody is known to deny."""
        return next(action for action in self._wishes() if action in actions)

    def _wishes(self) -> tuple[str, ...]:
        """List what it would do, the best first; the income is always open to who is not rich."""
        hand, strongest, richest = self.memory.hand, self.strongest, self.richest
        wishes: list[tuple[bool, str]] = [
            (True, written(COUP, strongest)),
            (ASSASSIN in hand and self._open(ASSASSINATE, strongest),
             written(ASSASSINATE, strongest)),
            (DUKE in hand, TAX.name),
            (CAPTAIN in hand and self._open(STEAL, richest), written(STEAL, richest)),
            (self._open(FOREIGN_AID), FOREIGN_AID.name),
            (True, INCOME.name),
        ]  # fmt: skip
        return tuple(action for wished, action in wishes if wished)

    def _open(self, deed: Deed, target: Seat | None = None) -> bool:
        """Has nobody who may block this done so before? And is there anything to be had?"""
        seats = self.memory.others if target is None else [target]
        if deed is STEAL and target is not None and not self.memory.coins[target]:
            return False
        return not any((seat, deed.name) in self.memory.blocked for seat in seats)


class Trusting(Honest):
    """Claims what it holds, and believes whatever it is told."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Trust everybody."""
        return False
