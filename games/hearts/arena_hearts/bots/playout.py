"""A fast game of Hearts with all cards open, played by simple habits to the end of a deal.

A hand is four lists here, one for each suit, of ranks from low to high, 0 for a two. The
habits are those of `low`; that no points go into the first trick is left out.
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
"""Suit and rank of each card, as they are counted here."""


def split_by_suit(cards: Iterable[Card]) -> Suits:
    """Return a hand's ranks by suit."""
    hand: Suits = [[], [], [], []]
    for suit, rank in sorted(CARD_NUMBERS[card] for card in cards):
        hand[suit].append(rank)
    return hand


@define
class PlayoutTable:
    """A deal in progress: hands by seat, what was taken, and the trick as it stands."""

    hands: list[Suits]
    taken: list[int]
    broken: bool
    led: int = -1  # the suit, if one was led
    best: int = -1  # the rank that takes the trick
    taker: Seat = -1
    stake: int = 0
    greedy: Seat = -1  # who takes what there is to take

    @classmethod
    def of(
        cls, hands: Sequence[Suits], taken: Iterable[int], broken: bool, greedy: Seat = -1
    ) -> PlayoutTable:
        """Return a table of its own for these, nothing being played to the trick yet."""
        copies = [[ranks[:] for ranks in hand] for hand in hands]
        return cls(copies, [*taken], broken, greedy=greedy)

    def play_card(self, seat: Seat, suit: int, rank: int) -> None:
        """Lay a card, which is no longer in any hand."""
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
        """Let these complete the trick, and all play to the end; return what each has taken."""
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
        """Play high while that may win, and low otherwise."""
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
        """Stay under the others' cards; who must take the trick at its end plays high."""
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
        """Be rid of QS, or of the highest card, a heart if there is one as high."""
        if QUEEN_RANK in hand[SPADES_NUMBER]:
            hand[SPADES_NUMBER].remove(QUEEN_RANK)
            self.play_card(seat, SPADES_NUMBER, QUEEN_RANK)
            return
        high = -1
        for at, ranks in enumerate(hand):
            if ranks and ranks[-1] >= high:
                suit, high = at, ranks[-1]
        self.play_card(seat, suit, hand[suit].pop())
