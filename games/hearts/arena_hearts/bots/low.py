"""A bot that plays low cards, and considers only the current trick."""

from __future__ import annotations

from arena.cards import RANKS, Card, Cards, find_trick_winner, rank_of, suit_of
from arena_hearts.bots.base import CardPlayer
from arena_hearts.cards import CARD_POINTS, QUEEN
from arena_hearts.rules import PASSED_CARDS


def rank_height(card: Card) -> int:
    """Return the height of a card's rank, 0 for a two."""
    return RANKS.index(rank_of(card))


def discard_priority(card: Card) -> tuple[bool, int, bool]:
    """Return a sort key for discards: QS, then the high cards, hearts first."""
    return card == QUEEN, rank_height(card), card in CARD_POINTS


class LowCardPlayer(CardPlayer):
    """Stays below the others' cards, discards QS and high cards, and remembers nothing."""

    def passes(self, hand: Cards) -> Cards:
        """Return the cards to pass: QS, then the highest."""
        return tuple(sorted(hand, key=discard_priority)[-PASSED_CARDS:])

    def plays(self, cards: Cards) -> Card:
        """Lead low, follow with QS or just below the highest card, discard the worst card."""
        trick = self.memory.trick
        if not trick:
            return min(cards, key=rank_height)
        if suit_of(cards[0]) != suit_of(trick[0]):
            return max(cards, key=discard_priority)
        highest = rank_height(trick[find_trick_winner(trick)])
        under = [card for card in cards if rank_height(card) < highest]
        return max(under, key=discard_priority) if under else min(cards, key=discard_priority)
