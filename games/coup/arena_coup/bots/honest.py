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
    """Claims only characters that it holds; challenges impossible claims."""

    def act(self, actions: tuple[str, ...]) -> str:
        """Launch a coup or assassinate if it can, else take coins that nobody is known to block."""
        return next(action for action in self._wishes() if action in actions)

    def _wishes(self) -> tuple[str, ...]:
        """Return its preferred actions, the best first, ending with the income."""
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
        """Return whether an action has an effect, and none of its blockers ever blocked it."""
        seats = self.memory.others if target is None else [target]
        if deed is STEAL and target is not None and not self.memory.coins[target]:
            return False
        return not any((seat, deed.name) in self.memory.blocks for seat in seats)


class Trusting(Honest):
    """Claims only characters that it holds, and never challenges."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Never challenge."""
        return False
