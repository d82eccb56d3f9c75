"""Random deals with constraints: hands of given sizes, where seats may be void in suits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from attrs import define, field

from arena import Seat
from arena.cards import Card

May = Callable[[Seat, Card], bool]


def deal_hands(
    cards: Sequence[Card], sizes: Mapping[Seat, int], may: May, random: Random
) -> dict[Seat, list[Card]]:
    """Deal these cards to hands of these sizes; `may` says which seat may hold which card.

    Every possible deal can occur, but not equally often. Raises ValueError if there is none.
    """
    matching = _Matching(sizes, may, random)
    for card in random.sample(cards, len(cards)):
        if not matching.place(card, set()):
            raise ValueError(f"nobody can hold {card}")
    return matching.hands


@define
class _Matching:
    """Hands that are filled card by card, along augmenting paths of a bipartite matching."""

    sizes: Mapping[Seat, int]
    may: May
    random: Random
    hands: dict[Seat, list[Card]] = field(init=False)

    @hands.default
    def _empty(self) -> dict[Seat, list[Card]]:
        return {seat: [] for seat in self.sizes}

    def place(self, card: Card, asked: set[Seat]) -> bool:
        """Give a card to a seat that may hold it; return whether that was possible.

        A full hand passes one of its own cards on to another seat.
        """
        able = [seat for seat in self.sizes if self.may(seat, card)]
        for seat in self.random.sample(able, len(able)):
            if seat not in asked and self._takes(seat, card, asked):
                return True
        return False

    def _takes(self, seat: Seat, card: Card, asked: set[Seat]) -> bool:
        hand = self.hands[seat]
        asked.add(seat)
        if len(hand) < self.sizes[seat]:
            hand.append(card)
            return True
        for at, held in enumerate(hand):
            if self.place(held, asked):
                hand[at] = card
                return True
        return False
