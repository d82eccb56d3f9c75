"""Bots that never lie."""

from __future__ import annotations

from arena import Seat
from arena_coup.bots.base import CoupBot
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
    ActionKind,
    Character,
    format_action,
)


class Honest(CoupBot):
    """Claims what it holds, and nothing else; challenges what cannot be."""

    def act(self, actions: tuple[str, ...]) -> str:
        """Strike if it can, else take the coins that nobody is known to deny."""
        return next(action for action in self._wishes() if action in actions)

    def _wishes(self) -> tuple[str, ...]:
        """List what it would do, the best first; the income is always open to who is not rich."""
        hand, strongest, richest = self.memory.hand, self.strongest, self.richest
        wishes: list[tuple[bool, str]] = [
            (True, format_action(COUP, strongest)),
            (ASSASSIN in hand and self._is_open(ASSASSINATE, strongest),
             format_action(ASSASSINATE, strongest)),
            (DUKE in hand, TAX.name),
            (CAPTAIN in hand and self._is_open(STEAL, richest), format_action(STEAL, richest)),
            (self._is_open(FOREIGN_AID), FOREIGN_AID.name),
            (True, INCOME.name),
        ]  # fmt: skip
        return tuple(action for wished, action in wishes if wished)

    def _is_open(self, deed: ActionKind, target: Seat | None = None) -> bool:
        """Return whether an action yields something, and no seat that may block it ever has."""
        seats = self.memory.others if target is None else [target]
        if deed is STEAL and target is not None and not self.memory.coins[target]:
            return False
        return not any((seat, deed.name) in self.memory.blocks for seat in seats)


class Trusting(Honest):
    """Claims what it holds, and believes whatever it is told."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Trust everybody."""
        return False
