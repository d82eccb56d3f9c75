"""Kuhn poker, which OpenSpiel has as `kuhn_poker`: its cards are numbered from 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Self

import pyspiel
from attrs import define, evolve, field

from arena import Seat
from arena_openspiel.bridge import Bridge, SampledVariant, State

RANKS = (1, 2, 3)


@define(eq=False, slots=False)
class KuhnBridge(Bridge):
    """The bridge for Kuhn poker: the known cards, and the bets."""

    ranks: dict[Seat, int] = field(factory=dict)
    bets: list[int] = field(factory=list)

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:  # noqa: ARG003  # there is but one
        """Return the only variant."""
        return SampledVariant()

    def _load(self) -> Any:
        return pyspiel.load_game("kuhn_poker", {"players": self.seats})

    def hear(self, seat: Seat, event: Any) -> None:
        """Record a card, or a bet (1) or pass (0)."""
        match type(event).__name__:
            case "Card":
                self.ranks[seat] = event.rank
            case "Acted":
                self.bets.append(int(event.bets))

    def chance(self, state: State) -> int:
        """Return the card of the seat that is dealt to next."""
        return self.ranks[len(state.history())] - 1

    def moves(self) -> Iterable[Sequence[int]]:
        """Return the bets and passes."""
        return [(bet,) for bet in self.bets]

    def sample_hidden_information(self, random: Random) -> Self:
        """Deal the other seat one of the cards that this seat does not hold."""
        rest = [rank for rank in RANKS if rank not in self.ranks.values()]
        drawn = iter(random.sample(rest, len(rest)))
        seats = range(self.seats)
        ranks = {seat: self.ranks.get(seat) or next(drawn) for seat in seats}
        return evolve(self, ranks=ranks)

    def action(self, value: bool) -> int:
        """Return 1 for a bet, 0 for a pass."""
        return int(value)

    def value(self, action: int) -> bool:
        """Return whether the action is a bet."""
        return bool(action)
