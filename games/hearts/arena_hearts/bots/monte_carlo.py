"""A bot that samples deals of the unseen cards, and tries each of its cards in them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field, validators

from arena import Seat
from arena.cards import Card, Cards, remove_cards
from arena_hearts.bots.careful import Careful
from arena_hearts.bots.playout import CARD_NUMBERS, PlayoutTable, Suits, split_by_suit
from arena_hearts.bots.sampled_deals import sample_world
from arena_hearts.rules import score_deal


@define(eq=False)
class MonteCarloPlayer(Careful):
    """Deals the unseen cards in several `worlds`, and plays the card that does best in them.

    The deals agree with the passed cards and void suits that it remembers.
    """

    worlds: int = field(default=20, validator=validators.ge(1))

    def plays(self, cards: Cards) -> Card:
        """Return the card that costs this seat the fewest points relative to the others."""
        worlds = [self._sample_world() for _ in range(self.worlds)]
        return min(cards, key=lambda card: self.cost(card, worlds))

    def cost(self, card: Card, worlds: Sequence[list[Suits]], greedy: Seat = -1) -> float:
        """Return the cost of playing a card, summed over these worlds."""
        return sum(self._cost_in(hands, card, greedy) for hands in worlds)

    def _sample_world(self) -> list[Suits]:
        held = sample_world(self.memory, self.random)
        return [split_by_suit(held.get(seat, ())) for seat in range(self.seats)]

    def _cost_in(self, hands: list[Suits], card: Card, greedy: Seat) -> float:
        """Return the points this seat takes above the mean if it plays this card now."""
        memory = self.memory
        hands[self.seat] = split_by_suit(remove_cards(memory.hand, (card,)))
        table = PlayoutTable.of(hands, memory.taken, memory.hearts_broken, greedy)
        for seat, played in zip(memory.order, memory.trick, strict=True):
            table.play_card(seat, *CARD_NUMBERS[played])
        table.play_card(self.seat, *CARD_NUMBERS[card])
        points = score_deal(tuple(table.play_to_end(memory.to_come)), self.variant.moon)
        return points[self.seat] - sum(points) / self.seats
