"""A bot that deals the unseen cards out again and again, and tries each of its cards."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field, validators

from arena import Seat
from arena.cards import Card, Cards, without
from arena_hearts.bots.careful import Careful
from arena_hearts.bots.playout import NUMBERS, Suits, Table, opened
from arena_hearts.bots.worlds import world
from arena_hearts.rules import deal_points


@define(eq=False)
class Counter(Careful):
    """Deals what it has not seen out in a number of `worlds`, and plays what does best in them.

    Passed cards and suits that somebody is out of are as it remembers them.
    """

    worlds: int = field(default=20, validator=validators.ge(1))

    def plays(self, cards: Cards) -> Card:
        """Return the card after which it has the fewest points, compared with the others."""
        worlds = [self._world() for _ in range(self.worlds)]
        return min(cards, key=lambda card: self.cost(card, worlds))

    def cost(self, card: Card, worlds: Sequence[list[Suits]], greedy: Seat = -1) -> float:
        """Return what it costs to play a card, over all these worlds."""
        return sum(self._cost_in(hands, card, greedy) for hands in worlds)

    def _world(self) -> list[Suits]:
        held = world(self.memory, self.random)
        return [opened(held.get(seat, ())) for seat in range(self.seats)]

    def _cost_in(self, hands: list[Suits], card: Card, greedy: Seat) -> float:
        """Return what the deal costs more than the others if this is played now."""
        memory = self.memory
        hands[self.seat] = opened(without(memory.hand, (card,)))
        table = Table.of(hands, memory.taken, memory.broken, greedy)
        for seat, played in zip(memory.order, memory.trick, strict=True):
            table.put(seat, *NUMBERS[played])
        table.put(self.seat, *NUMBERS[card])
        points = deal_points(tuple(table.finish(memory.to_come)), self.variant.moon)
        return points[self.seat] - sum(points) / self.seats
