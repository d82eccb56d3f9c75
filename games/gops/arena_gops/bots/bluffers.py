"""Opponents that bid about the value of a prize, and bluff.

Source: a Bash implementation of GOPS of 2024, built from the tables of its opponents as
published for 13 cards: a row of a table is a line here. `upto(b)` is the upper bound b
of a band, scaled for another number of cards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

from arena import Greeting
from arena_gops.bots.base import PrizeBidder, ScoreKeeper, find_nearest
from arena_gops.rules import Bids, Hand

PUBLISHED_CARDS = 13  # cards, for which the tables were published
MIN_JUDGED_PRIZES = 4  # prizes before `hard` judges the opponent
LATE_ROUND = 8  # prizes after which `hard` plays for the end of the game
MIN_HIGH_CARDS = 3  # in both hands; with fewer `hard-patterned` does not bluff


@lru_cache
def scale_bound(bound: int, cards: int) -> int:
    """Return an upper bound of the tables for this number of cards.

    >>> scale_bound(10, 13), scale_bound(10, 20), scale_bound(2, 3)
    (10, 15, 1)
    """
    return max(1, round(bound * cards / PUBLISHED_CARDS))


def bid_about_value(hand: tuple[int, ...], prize: int, cards: int, random: Random) -> int:
    """Return the card nearest to the prize's value, one more, or one less, within 1..N."""
    about = prize + random.choice((-1, 0, 1))
    return find_nearest(hand, min(max(about, 1), cards))


class NearPrizeBidder(PrizeBidder):
    """Bids about the value of the prize (the Bash implementation of 2024)."""

    def bid(self, hand: Hand) -> int:
        """Bid its value, one more, or one less."""
        return bid_about_value(hand, self.prize, self.variant.cards, self.random)


class Bluffer(ScoreKeeper):
    """The moves that the tables name: value, low, high, and random choices of these."""

    hand: Hand

    def bid(self, hand: Hand) -> int:
        """Bid by the table's row for the prize."""
        self.hand = hand
        return self.look_up(self.board.prize)

    def look_up(self, prize: int) -> int:
        """Return the card that the table says for this prize."""
        raise NotImplementedError

    def scale_bound(self, bound: int) -> int:
        """Return the upper bound of a band, for this number of cards."""
        return scale_bound(bound, self.variant.cards)

    def bid_about_value(self, more: int = 0) -> int:
        """Bid about the value of the prize, or of one that is worth more."""
        return bid_about_value(self.hand, self.board.prize + more, self.variant.cards, self.random)

    def bid_low(self) -> int:
        """Bid the lowest card up to 3, or `value` without one."""
        low = [card for card in self.hand if card <= self.scale_bound(3)]
        return min(low) if low else self.bid_about_value()

    def bid_high(self) -> int:
        """Bid the lowest card above 10, or `value` without one."""
        high = [card for card in self.hand if card > self.scale_bound(10)]
        return min(high) if high else self.bid_about_value()

    def count_above_nine(self, hand: tuple[int, ...]) -> int:
        """Count the cards above 9."""
        return sum(card > self.scale_bound(9) for card in hand)

    def draw_one_in(self, times: int) -> bool:
        """Return True with a probability of one in this many."""
        return self.random.randrange(times) == 0

    def bid_one_of(self, *ways: Callable[[], int]) -> int:
        """Bid in one of these ways, chosen with equal probability."""
        return self.random.choice(ways)()


class HighPrizeBluffer(Bluffer):
    """Bluffs for the high prizes as long as the opponent has high cards to lose.

    Source: the Bash implementation of 2024.
    """

    high_cards: list[int]  # by seat: high cards not yet spent on a low prize

    def greet(self, greeting: Greeting) -> None:
        """Begin the counts at the number of cards above 9."""
        super().greet(greeting)
        self.high_cards = [self.count_above_nine(self.variant.suit)] * self.seats

    def hear(self, event: Any) -> None:
        """Subtract the cards above 9 that were bid for a prize up to 9."""
        super().hear(event)
        if isinstance(event, Bids) and self.board.prize <= self.scale_bound(9):
            for seat, card in enumerate(event.cards):
                self.high_cards[seat] -= card > self.scale_bound(9)

    def look_up(self, prize: int) -> int:
        """Mix low and high for a prize above 9, while the count is above 0."""
        if prize > self.scale_bound(9) and self.high_cards[self.opponent] > 0:
            return self.bid_one_of(self.bid_low, self.bid_high)
        return self.bid_about_value()


class AdaptiveBluffer(Bluffer):
    """Judges the opponent by its score, and bluffs accordingly.

    Source: the Bash implementation of 2024, without its peek at the sealed bid: cards
    are counted as they are held before the bid.
    """

    def look_up(self, prize: int) -> int:
        """Look in the table's row for the prize."""
        if prize > self.scale_bound(10):
            return self.bid_above_ten()
        return self.bid_six_to_ten() if prize > self.scale_bound(5) else self.bid_below_six()

    def bid_above_ten(self) -> int:
        """Bluff an aggressive opponent; press one who is ahead with fewer high cards."""
        if self.opponent_is_aggressive and self.opponent_high_cards > 1:
            return self.bid_low() if self.draw_one_in(3) else self.bid_high()
        if self.lead < 0 and self.own_high_cards > self.opponent_high_cards:
            return self.bid_high()
        return self.bid_about_value()

    def bid_six_to_ten(self) -> int:
        """Bid one more if an aggressive opponent has spent its high cards."""
        return (
            self.bid_about_value(1)
            if self.opponent_is_aggressive and self.opponent_high_cards <= 1
            else self.bid_about_value()
        )

    def bid_below_six(self) -> int:
        """Discard a low card on a low prize."""
        if self.opponent_is_conservative or self.opponent_high_cards == 0:
            return min(self.hand)
        if self.lead > 0 and self.board.round > LATE_ROUND:
            return self.bid_about_value()
        return 1 if self.draw_one_in(4) and 1 in self.hand else self.bid_about_value()

    @property
    def opponent_is_aggressive(self) -> bool:
        """Whether the opponent has taken more than 7 points a prize."""
        return self._can_judge and self._pace > 7 * self.board.round * self.variant.cards

    @property
    def opponent_is_conservative(self) -> bool:
        """Whether the opponent has taken less than 5 points a prize."""
        return self._can_judge and self._pace < 5 * self.board.round * self.variant.cards

    @property
    def _can_judge(self) -> bool:
        return self.board.round >= MIN_JUDGED_PRIZES

    @property
    def _pace(self) -> Any:
        return self.board.scores[self.opponent] * PUBLISHED_CARDS

    @property
    def lead(self) -> Any:
        """Return by how many points it leads."""
        return self.board.scores[self.seat] - self.board.scores[self.opponent]

    @property
    def own_high_cards(self) -> int:
        """Count its own cards above 9."""
        return self.count_above_nine(self.hand)

    @property
    def opponent_high_cards(self) -> int:
        """Count the opponent's cards above 9."""
        return self.count_above_nine(self.board.hands[self.opponent])


class PatternedBluffer(Bluffer):
    """Plays fixed mixtures.

    Source: the Bash implementation of 2024, with the bluff for low prizes as it is
    described; the published code tests the wrong way round and never comes to it.
    """

    def look_up(self, prize: int) -> int:
        """Look in the table's row for the prize."""
        if prize > self.scale_bound(10):
            return self.bid_top()
        if prize > self.scale_bound(7):
            return self.bid_one_of(
                self.bid_high, self.bid_low, self.bid_about_value, self.bid_about_value
            )
        return self.bid_bottom()

    def bid_top(self) -> int:
        """Bid the highest card one time in three, else the second highest."""
        king, queen = self.variant.cards, self.scale_bound(12)
        if self.draw_one_in(3) and king in self.hand:
            return king
        return queen if queen in self.hand else self.bid_about_value()

    def bid_bottom(self) -> int:
        """Throw a card up to 2 away one time in five, while high cards are about."""
        both = self.hand + self.board.hands[self.opponent]
        if (
            self.count_above_nine(both) >= MIN_HIGH_CARDS
            and self.draw_one_in(5)
            and min(self.hand) <= self.scale_bound(2)
        ):
            return min(self.hand)
        return self.bid_about_value()
