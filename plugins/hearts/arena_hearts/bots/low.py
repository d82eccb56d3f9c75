"""A bot that plays low cards, and looks at nothing but the trick."""

from __future__ import annotations

from arena.cards import RANKS, Card, Cards, rank_of, suit_of, trick_winner
from arena_hearts.bots.base import CardPlayer
from arena_hearts.cards import QUEEN, WORTH
from arena_hearts.rules import PASSED


def height(card: Card) -> int:
    """Return how high a card is, 0 for a two."""
    return RANKS.index(rank_of(card))


def ugly(card: Card) -> tuple[bool, int, bool]:
    """Order cards by how gladly one is rid of them: QS, then the high ones, hearts first."""
    return card == QUEEN, height(card), card in WORTH


class Low(CardPlayer):
    """Stays under the others' cards, and throws off QS and high cards; it remembers nothing."""

    def passes(self, hand: Cards) -> Cards:
        """Return the highest away, QS before all."""
        return tuple(sorted(hand, key=ugly)[-PASSED:])

    def plays(self, cards: Cards) -> Card:
        """Lead low, follow with QS or just below the highest, throw off what is worst."""
        trick = self.memory.trick
        if not trick:
            return min(cards, key=height)
        if suit_of(cards[0]) != suit_of(trick[0]):
            return max(cards, key=ugly)
        highest = height(trick[trick_winner(trick)])
        under = [card for card in cards if height(card) < highest]
        return max(under, key=ugly) if under else min(cards, key=ugly)
