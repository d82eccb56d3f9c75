"""A fast playout of Hearts with all cards known, by simple rules to the end of a deal.

Here a hand is four lists, one for each suit, of ranks from low to high, 0 for a two. The rules are
those of the bot `low`; the ban on points in the first trick is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from attrs import define

from arena import Seat
from arena.cards import RANKS, SUITS, Card, rank_of, suit_of
from arena_hearts.cards import CARD_POINTS, HEARTS, QUEEN

Suits = list[list[int]]

HEARTS_NUMBER, SPADES_NUMBER = SUITS.index(HEARTS), SUITS.index(suit_of(QUEEN))
QUEEN_RANK = RANKS.index(rank_of(QUEEN))
QUEEN_POINTS = CARD_POINTS[QUEEN]
CARD_NUMBERS = {
    rank + suit: (at, RANKS.index(rank)) for at, suit in enumerate(SUITS) for rank in RANKS
}
"""The suit and rank of each card as numbers."""


def split_by_suit(cards: Iterable[Card]) -> Suits:
    """Return a hand's ranks by suit."""
    hand: Suits = [[], [], [], []]
    for suit, rank in sorted(CARD_NUMBERS[card] for card in cards):
        hand[suit].append(rank)
    return hand


@define
class PlayoutTable:
    """A deal in progress: the hands and points by seat, and the current trick."""

    hands: list[Suits]
    taken: list[int]
    broken: bool
    led: int = -1  # the suit that was led, or -1
    best: int = -1  # the rank that currently takes the trick
    taker: Seat = -1
    stake: int = 0
    greedy: Seat = -1  # the seat that tries to take all tricks

    @classmethod
    def of(
        cls, hands: Sequence[Suits], taken: Iterable[int], broken: bool, greedy: Seat = -1
    ) -> PlayoutTable:
        """Return a table with copies of these hands, and an empty trick."""
        copies = [[ranks[:] for ranks in hand] for hand in hands]
        return cls(copies, [*taken], broken, greedy=greedy)

    def play_card(self, seat: Seat, suit: int, rank: int) -> None:
        """Add a card to the trick; it must be removed from its hand already."""
        if self.led < 0:
            self.led = suit
        if suit == self.led and rank > self.best:
            self.best, self.taker = rank, seat
        if suit == HEARTS_NUMBER:
            self.stake += 1
            self.broken = True
        elif suit == SPADES_NUMBER and rank == QUEEN_RANK:
            self.stake += QUEEN_POINTS

    def play_to_end(self, to_come: Iterable[Seat]) -> list[int]:
        """Complete the trick with these seats, play the deal to its end, and return the points."""
        seats = len(self.hands)
        order = [*to_come]
        while True:
            for seat in order:
                if seat == self.greedy:
                    self._take(seat)
                else:
                    self._duck(seat, last=seat == order[-1])
            self.taken[self.taker] += self.stake
            leader, self.led, self.best, self.stake = self.taker, -1, -1, 0
            if not any(self.hands[leader]):
                return self.taken
            order = [*range(leader, seats), *range(leader)]

    def _take(self, seat: Seat) -> None:
        """Play a seat's highest card if it can win, else its lowest."""
        hand = self.hands[seat]
        if self.led < 0:
            suits = [
                suit for suit in range(4) if hand[suit] and (suit != HEARTS_NUMBER or self.broken)
            ]
            suit = max(suits, key=lambda suit: hand[suit][-1], default=HEARTS_NUMBER)
            self.play_card(seat, suit, hand[suit].pop())
        elif ranks := hand[self.led]:
            self.play_card(seat, self.led, ranks.pop(-(ranks[-1] > self.best)))
        else:
            suit = min((suit for suit in range(4) if hand[suit]), key=lambda suit: hand[suit][0])
            self.play_card(seat, suit, hand[suit].pop(0))

    def _duck(self, seat: Seat, last: bool) -> None:
        """Play below the best card; high if the seat must take the trick as the last to play."""
        hand = self.hands[seat]
        if self.led < 0:
            suit = self._lowest(hand)
            self.play_card(seat, suit, hand[suit].pop(0))
        elif ranks := hand[self.led]:
            at = bisect_left(ranks, self.best)
            self.play_card(seat, self.led, ranks.pop(at - 1 if at else -last))
        else:
            self._throw_off(seat, hand)

    def _lowest(self, hand: Suits) -> int:
        """Return the suit of the lowest card that may be led."""
        suits = [suit for suit in range(4) if hand[suit] and (suit != HEARTS_NUMBER or self.broken)]
        return min(suits, key=lambda suit: hand[suit][0], default=HEARTS_NUMBER)

    def _throw_off(self, seat: Seat, hand: Suits) -> None:
        """Discard QS, or the highest card, preferably a heart."""
        if QUEEN_RANK in hand[SPADES_NUMBER]:
            hand[SPADES_NUMBER].remove(QUEEN_RANK)
            self.play_card(seat, SPADES_NUMBER, QUEEN_RANK)
            return
        high = -1
        for at, ranks in enumerate(hand):
            if ranks and ranks[-1] >= high:
                suit, high = at, ranks[-1]
        self.play_card(seat, suit, hand[suit].pop())
