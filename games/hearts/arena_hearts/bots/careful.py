"""A bot that counts cards, and plays the card with the lowest expected cost."""

from __future__ import annotations

from math import prod

from arena import Seat
from arena.cards import Card, Cards, filter_suit, suit_of
from arena_hearts.bots.base import CardPlayer
from arena_hearts.bots.low import rank_height
from arena_hearts.cards import CARD_ORDER, CARD_POINTS, HEARTS, QUEEN
from arena_hearts.rules import PASSED_CARDS

SPADES = "S"
MIN_GUARDS = 4  # lower spades that make it safe to hold a high one
GUARDED_QUEEN_COST, UNGUARDED_QUEEN_COST = 2.0, 8.0  # of holding QS, in points
HIGH_SPADE_COST = 3.0  # of holding an unguarded KS or AS while QS is out
HIGHEST_CARD_COST = 1.5  # of holding the highest card of a suit, in points
LAST_OF_SUIT_COST = 0.2  # of holding a card of a suit that nobody else has
DISCARD_POINTS = 2.0  # expected points of a discard


class Careful(CardPlayer):
    """Counts cards; plays the card that costs least in this trick and in the remaining hand.

    The weights were found by playing against the other bundled bots.
    """

    def passes(self, hand: Cards) -> Cards:
        """Return the cards that are worst to hold; among equals, those of short suits."""
        costs = {
            card: self._holding_cost(card) - len(filter_suit(hand, suit_of(card))) / 5
            for card in hand
        }
        return tuple(sorted(hand, key=costs.__getitem__)[-PASSED_CARDS:])

    def plays(self, cards: Cards) -> Card:
        """Return the card with the lowest cost, of equals the highest."""
        return min(cards, key=lambda card: (self._playing_cost(card), -rank_height(card)))

    def _playing_cost(self, card: Card) -> float:
        """Estimate the cost of playing a card, minus the cost of keeping it, in points."""
        saved = self._holding_cost(card)
        if self.memory.trick and suit_of(card) != self.memory.led_suit:
            return -saved
        return self._chance_to_take(card) * self._expected_points(card) - saved

    def _chance_to_take(self, card: Card) -> float:
        """Estimate the probability that a card which leads or follows suit takes the trick."""
        memory = self.memory
        suit = suit_of(card)
        if any(
            suit_of(played) == suit and CARD_ORDER[played] > CARD_ORDER[card]
            for played in memory.trick
        ):
            return 0.0
        lower, higher = self._count_others(card)
        return prod(self._duck_probability(seat, suit, lower, higher) for seat in memory.to_come)

    def _count_others(self, card: Card) -> tuple[int, int]:
        """Count the others' cards of the same suit, below and above this card."""
        held = filter_suit(self.memory.unseen, suit_of(card))
        lower = sum(CARD_ORDER[other] < CARD_ORDER[card] for other in held)
        return lower, len(held) - lower

    def _duck_probability(self, seat: Seat, suit: str, lower: int, higher: int) -> float:
        """Estimate the probability that a seat can play a lower card, or is out of the suit."""
        if suit in self.memory.void[seat]:
            return 1.0
        elsewhere = 1 - 1 / (self.seats - 1)  # the probability that another seat holds a given card
        return 1 - elsewhere**lower + elsewhere ** (lower + higher)

    def _expected_points(self, card: Card) -> float:
        """Estimate the points of the trick if this card takes it."""
        memory = self.memory
        stake = memory.stake + CARD_POINTS.get(card, 0)
        if memory.is_first_trick:
            return stake
        suit = suit_of(card)
        held = filter_suit(memory.unseen, suit)
        return stake + sum(self._points_added(seat, suit, card, held) for seat in memory.to_come)

    def _points_added(self, seat: Seat, suit: str, card: Card, held: Cards) -> float:
        """Estimate the points that a seat adds to the trick by following suit or by discarding."""
        others = self.seats - 1
        queen = 13 / others if QUEEN in self.memory.unseen else 0.0
        out = 1.0 if suit in self.memory.void[seat] else (1 - 1 / others) ** len(held)
        follows = float(suit == HEARTS)
        if suit == SPADES and CARD_ORDER[card] > CARD_ORDER[QUEEN]:
            follows = queen
        return out * (DISCARD_POINTS + queen * (suit != SPADES)) + (1 - out) * follows

    def _holding_cost(self, card: Card) -> float:
        """Estimate the cost of holding a card until later, in points."""
        memory = self.memory
        suit = suit_of(card)
        guarded = len(
            [
                spade
                for spade in filter_suit(memory.hand, suit)
                if CARD_ORDER[spade] < CARD_ORDER[QUEEN]
            ]
        )
        if card == QUEEN:
            return GUARDED_QUEEN_COST if guarded >= MIN_GUARDS else UNGUARDED_QUEEN_COST
        if suit == SPADES and QUEEN in memory.unseen and CARD_ORDER[card] > CARD_ORDER[QUEEN]:
            return 0.0 if guarded >= MIN_GUARDS else HIGH_SPADE_COST
        lower, higher = self._count_others(card)
        if not lower + higher:
            return LAST_OF_SUIT_COST
        return HIGHEST_CARD_COST * (lower / (lower + higher)) ** 2
