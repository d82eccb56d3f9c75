"""The bots that come with GOPS, by name in `BOTS`, and difficult situations for `arena check`.

`easy`, `medium`, `hard` and `hard-patterned` bid about the value of a prize, and bluff. Their
source is a Bash implementation of GOPS of 2024, built from the tables of its opponents as published
for 13 cards: a row of a table is a line here. The upper bound of a band is scaled (`scale_bound`)
for another number of cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any

from attrs import define, field, validators

from arena import Bot, FailingBot, Greeting, Question, RandomBot, Scenario, Seat
from arena_gops.rules import Bids, Gops, Hand, Prize, Scoreboard

PAIR = 2  # players
PUBLISHED_CARDS = 13  # cards, for which the tables were published
MIN_JUDGED_PRIZES = 4  # prizes before `hard` judges the opponent
LATE_ROUND = 8  # prizes after which `hard` plays for the end of the game
FIRST_MARGINS = (0, 1, 2)  # of bids above the prize, before `outbid` has seen any
MIN_HIGH_CARDS = 3  # in both hands; with fewer `hard-patterned` does not bluff


class Bidder(Bot):
    """A bot for a game whose only question is a bid."""

    variant: Gops

    def choose(self, question: Question[Any]) -> int:
        """Return a bid from the hand."""
        hand: Any = question.options
        return self.bid(hand)

    def bid(self, hand: Hand) -> int:
        """Return a card of this hand."""
        raise NotImplementedError


class PrizeBidder(Bidder):
    """A bot that knows the current prize, and nothing of earlier rounds."""

    prize: int

    def hear(self, event: Any) -> None:
        """Record the prize."""
        if isinstance(event, Prize):
            self.prize = event.card


class ScoreKeeper(Bidder):
    """A bot that keeps the score."""

    board: Scoreboard

    def greet(self, greeting: Greeting) -> None:
        """Start a new scoreboard."""
        super().greet(greeting)
        self.board = Scoreboard(self.variant, self.seats)

    def hear(self, event: Any) -> None:
        """Record an event on the scoreboard."""
        self.board.hear(event)

    @property
    def opponent(self) -> Seat:
        """The other seat; of several, the first with the highest score."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        return max(others, key=lambda seat: self.board.scores[seat])


class Shuffled(RandomBot):
    """Bids a shuffled hand.

    That is a random card of those left. Source: the Bash implementation of 2024; Ross 1971 finds
    the best reply to it, `match`.
    """


class Matching(PrizeBidder):
    """Bids the prize's value, or the nearest card if a list of prizes repeats a value.

    Source: Ross 1971, the best reply to a shuffled hand.
    """

    def bid(self, hand: Hand) -> int:
        """Bid the card nearest to the prize."""
        return find_nearest(hand, self.prize)


def find_nearest(hand: tuple[int, ...], target: int) -> int:
    """Return the card nearest to this one, the lower of two as near.

    >>> find_nearest((1, 4, 8), 6)
    4
    """
    return min(hand, key=lambda card: (abs(card - target), card))


@define(eq=False, slots=False)
class Ordered(Bidder):
    """Bids its cards in ascending order.

    It begins with the card `start`, and after the highest comes the ace. A start above N wraps
    around to 1. Source: the Bash implementation of 2024.
    """

    start: int = field(default=1, validator=validators.ge(1))

    def bid(self, hand: Hand) -> int:
        """Bid the first remaining card, counted from the start."""
        return min(hand, key=lambda card: (card - self.start) % self.variant.cards)


class Planner(ScoreKeeper):
    """Bids the winning card that it has reserved for the prize, else its lowest card.

    Source: Ruby Quiz 116 (2007). A card above the opponent's highest remaining card is a certain
    win; a reservation is never changed.
    """

    reserved: dict[int, int]  # the card reserved for each prize

    def greet(self, greeting: Greeting) -> None:
        """Start without reservations."""
        super().greet(greeting)
        self.reserved = {}

    def bid(self, hand: Hand) -> int:
        """Bid the card reserved for this prize, else the lowest card.

        If a list of prizes repeats a value, the card reserved for it may have been bid already.
        """
        self._reserve_cards(hand)
        card = self.reserved.get(self.board.prize)
        return min(hand) if card is None or card not in hand else card

    def _reserve_cards(self, hand: Hand) -> None:
        """Reserve each new certain win, highest first, for the best prize without a card."""
        beaten = max(self.board.hands[self.opponent])
        sure = {card for card in hand if card > beaten} - set(self.reserved.values())
        prizes = {self.board.prize, *self.board.face_down} - self.reserved.keys()
        best_first = sorted(prizes, reverse=True), sorted(sure, reverse=True)
        self.reserved.update(zip(*best_first, strict=False))


class Outbidder(ScoreKeeper):
    """Bids the next card above a bid that it expects from what the opponent has bid so far.

    It expects a bid as far above the prize as one of the earlier ones, drawn at random, and at
    first as far as one of `FIRST_MARGINS`: fictitious play (Brown 1951), with the prize as the
    measure. Where no card is high enough, it throws its lowest card away.
    """

    margins: list[list[int]]  # by seat: how far each bid was above the prize
    expected: int

    def greet(self, greeting: Greeting) -> None:
        """Start with the first margins only."""
        super().greet(greeting)
        self.margins = [[*FIRST_MARGINS] for _ in range(self.seats)]

    def hear(self, event: Any) -> None:
        """Record by how much each bid was above the prize."""
        super().hear(event)
        if isinstance(event, Bids):
            for margins, card in zip(self.margins, event.cards, strict=True):
                margins.append(card - self.board.prize)

    def bid(self, hand: Hand) -> int:
        """Bid the lowest card above the expected bid, else the lowest card."""
        margin = self.random.choice(self.margins[self.opponent])
        self.expected = find_nearest(self.board.hands[self.opponent], self.board.prize + margin)
        return next((card for card in hand if card > self.expected), min(hand))

    def explain(self, question: Question[Any], answer: Any) -> str:
        """Return the reason for a bid: the one that it expected of the opponent."""
        who = "an opponent" if self.seats > PAIR else "the opponent"
        if answer > self.expected:
            from arena_gops.show import name_card  # which few need

            card = name_card(self.expected, self.variant.cards)
            return f"It is just above the {card}, which {who} may well bid."
        hand: Any = question.options
        bid = "bid more than you can" if self.expected > max(hand) else "match your highest card"
        return f"{who.capitalize()} may well {bid}, so the lowest card costs you least."


class NearPrizeBidder(PrizeBidder):
    """Bids about the value of the prize.

    Source: the Bash implementation of 2024.
    """

    title = "Steady bidder"

    def bid(self, hand: Hand) -> int:
        """Bid its value, one more, or one less."""
        return bid_about_value(hand, self.prize, self.variant.cards, self.random)


def bid_about_value(hand: tuple[int, ...], prize: int, cards: int, random: Random) -> int:
    """Return the card nearest to the prize's value, one more, or one less, within 1..N."""
    about = prize + random.choice((-1, 0, 1))
    return find_nearest(hand, min(max(about, 1), cards))


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


@lru_cache
def scale_bound(bound: int, cards: int) -> int:
    """Return an upper bound of the tables for this number of cards.

    >>> scale_bound(10, 13), scale_bound(10, 20), scale_bound(2, 3)
    (10, 15, 1)
    """
    return max(1, round(bound * cards / PUBLISHED_CARDS))


class HighPrizeBluffer(Bluffer):
    """Bluffs for the high prizes as long as the opponent has high cards to lose.

    Source: the Bash implementation of 2024.
    """

    title = "High-prize bluffer"

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

    title = "Score reader"

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

    title = "Mixer"

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


BOTS: Mapping[str, type[Bot]] = {
    "random": Shuffled,
    "match": Matching,
    "ordered": Ordered,
    "easy": NearPrizeBidder,
    "medium": HighPrizeBluffer,
    "hard": AdaptiveBluffer,
    "hard-patterned": PatternedBluffer,
    "planner": Planner,
    "outbid": Outbidder,
}


class HighestFirst(Bidder):
    """Bids from the highest card down; two such players tie unless somebody bids more."""

    def bid(self, hand: Hand) -> int:
        """Bid the highest card left."""
        return max(hand)


SCENARIOS: Sequence[Scenario] = (
    Scenario("the opponent bids from the highest card down", (HighestFirst,)),
    Scenario("the opponent bids from the lowest card up", (Ordered,), 1),
    Scenario("the prizes come from the lowest up", (Matching,), 0, {"prizes": "ascending"}),
    Scenario("the prizes come from the highest down", (Matching,), 1, {"prizes": "descending"}),
    Scenario("the opponent bids each prize's value, and ties are carried over",
              (Matching,), 0, {"ties": "carry"}),
    Scenario("two opponents always tie, and prizes are lost",
              (HighestFirst, HighestFirst), 1, {"ties": "discard"}),
    Scenario("two opponents always tie, and prizes are carried over",
              (HighestFirst, HighestFirst), 2, {"ties": "carry"}),
    Scenario("two opponents always tie, and prizes are shared",
              (HighestFirst, HighestFirst), 0, {"ties": "split"}),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, HighestFirst, answers=7), Shuffled), 1),
    Scenario("ten play, so that nine bids are shown each time", (Shuffled,) * 9, 5),
)  # fmt: skip
