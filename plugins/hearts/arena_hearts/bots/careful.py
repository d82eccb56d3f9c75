"""A bot that counts cards, and plays what it expects to cost least."""

from __future__ import annotations

from math import prod

from arena import Seat
from arena.cards import Card, Cards, of_suit, suit_of
from arena_hearts.bots.base import CardPlayer
from arena_hearts.bots.low import height
from arena_hearts.cards import HEARTS, ORDER, QUEEN, WORTH
from arena_hearts.rules import PASSED

SPADES = "S"
GUARDS = 4  # lower spades that make a high one safe to hold
GUARDED, UNGUARDED = 2.0, 8.0  # what holding QS costs, in points
OVER_QUEEN = 3.0  # what holding KS or AS costs while QS is out and they are unguarded
WEIGHT = 1.5  # what holding the highest card of a suit costs, in points
SPENT = 0.2  # what a card costs of a suit that nobody else holds
THROWN = 2.0  # points that a player throws off who is out of the suit


class Careful(CardPlayer):
    """Counts cards; plays what costs least in this trick and in the hand that is left.

    The weights were found by playing against the other bundled bots.
    """

    def passes(self, hand: Cards) -> Cards:
        """Return away what is worst to hold, and in doubt what leaves few of a suit."""
        costs = {card: self._burden(card) - len(of_suit(hand, suit_of(card))) / 5 for card in hand}
        return tuple(sorted(hand, key=costs.__getitem__)[-PASSED:])

    def plays(self, cards: Cards) -> Card:
        """Return the card after which things look best, of equals the highest."""
        return min(cards, key=lambda card: (self._cost(card), -height(card)))

    def _cost(self, card: Card) -> float:
        """Guess what playing it costs, in points, less what it would cost to keep it."""
        saved = self._burden(card)
        if self.memory.trick and suit_of(card) != self.memory.led:
            return -saved
        return self._chance_to_take(card) * self._expected(card) - saved

    def _chance_to_take(self, card: Card) -> float:
        """Guess how likely a card of the suit that is led, or is led now, takes the trick."""
        memory = self.memory
        suit = suit_of(card)
        if any(suit_of(one) == suit and ORDER[one] > ORDER[card] for one in memory.trick):
            return 0.0
        lower, higher = self._others(card)
        return prod(self._stays_under(seat, suit, lower, higher) for seat in memory.to_come)

    def _others(self, card: Card) -> tuple[int, int]:
        """Count the cards of its suit that the others hold, below and above it."""
        held = of_suit(self.memory.unseen, suit_of(card))
        lower = sum(ORDER[one] < ORDER[card] for one in held)
        return lower, len(held) - lower

    def _stays_under(self, seat: Seat, suit: str, lower: int, higher: int) -> float:
        """Guess how likely a seat can play a lower card, or is out of the suit."""
        if suit in self.memory.void[seat]:
            return 1.0
        elsewhere = 1 - 1 / (self.seats - 1)  # how likely the others have a card
        return 1 - elsewhere**lower + elsewhere ** (lower + higher)

    def _expected(self, card: Card) -> float:
        """Guess how many points the trick will have if this card takes it."""
        memory = self.memory
        stake = memory.stake + WORTH.get(card, 0)
        if memory.first:
            return stake
        suit = suit_of(card)
        held = of_suit(memory.unseen, suit)
        return stake + sum(self._adds(seat, suit, card, held) for seat in memory.to_come)

    def _adds(self, seat: Seat, suit: str, card: Card, held: Cards) -> float:
        """Guess how many points a seat adds: what it must, or what it throws off."""
        others = self.seats - 1
        queen = 13 / others if QUEEN in self.memory.unseen else 0.0
        out = 1.0 if suit in self.memory.void[seat] else (1 - 1 / others) ** len(held)
        follows = float(suit == HEARTS)
        if suit == SPADES and ORDER[card] > ORDER[QUEEN]:
            follows = queen
        return out * (THROWN + queen * (suit != SPADES)) + (1 - out) * follows

    def _burden(self, card: Card) -> float:
        """Guess what it costs to hold a card until later, in points."""
        memory = self.memory
        suit = suit_of(card)
        guarded = len([one for one in of_suit(memory.hand, suit) if ORDER[one] < ORDER[QUEEN]])
        if card == QUEEN:
            return GUARDED if guarded >= GUARDS else UNGUARDED
        if suit == SPADES and QUEEN in memory.unseen and ORDER[card] > ORDER[QUEEN]:
            return 0.0 if guarded >= GUARDS else OVER_QUEEN
        lower, higher = self._others(card)
        if not lower + higher:
            return SPENT
        return WEIGHT * (lower / (lower + higher)) ** 2
