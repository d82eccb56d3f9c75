"""The bots that come with Briscola, by name in `BOTS`, and situations for `arena check`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from arena import Bot, FailingBot, Question, RandomBot, Scenario, Seat, format_count
from arena.cards import Card, Cards, rank_of, remove_cards, suit_of
from arena_briscola.rules import (
    HAND_SIZE,
    RANKS,
    Played,
    Trick,
    build_pack,
    count_points,
    count_sides,
    find_taker,
)

# `thrifty` plays no trump for a trick of fewer points.
TRUMP_PRICE = 5

MAX_SMALL_POINTS = 4  # of a card, up to which its points are few: those of a king

# The weights of `counter`, found by playing against `thrifty`: the points that a kept card may
# still bring as a trump, per point of its own and per rank above the lowest; the least probability
# that a player who can take a trick does so, and its increase per point of the trick.
KEEP_TRUMP_POINTS, KEEP_POINTS_PER_POINT, KEEP_POINTS_PER_RANK = 8.0, 0.15, 0.1
TAKE_PROBABILITY, TAKE_PROBABILITY_PER_POINT = 0.4, 0.05


class CardPlayer(Bot):
    """Base class of the bundled bots: remembers the table; subclasses implement `play`."""

    trump: Card
    stock = 0  # the cards in the stock when the trick began
    trick: Cards = ()  # so far
    players: tuple[Seat, ...] = ()  # of the trick so far
    gone: Cards = ()  # the cards played in this deal

    def hear(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Trick(_, trump, stock):
                if stock > self.stock:
                    self.gone = ()
                self.trump, self.stock, self.trick, self.players = trump, stock, (), ()
            case Played(seat, card):
                self.trick, self.players = (*self.trick, card), (*self.players, seat)
                self.gone = (*self.gone, card)

    def choose(self, question: Question[Card]) -> Card:
        """Play a card of the hand; any may be played."""
        hand: Any = question.options
        return self.play(hand)

    def play(self, hand: Cards) -> Card:
        """Return a card of the hand."""
        raise NotImplementedError

    def is_trump(self, card: Card) -> bool:
        """Return whether a card is of the suit of the card turned up."""
        return suit_of(card) == suit_of(self.trump)

    def takes(self, card: Card) -> bool:
        """Return whether this card would take the trick if it were the last one played."""
        return find_taker((*self.trick, card), self.trump) == len(self.trick)

    def price(self, card: Card) -> tuple[int, int]:
        """Return a sort key for a card's worth: points, more for a trump, and then its rank."""
        trump = TRUMP_PRICE * self.is_trump(card)
        return count_points([card]) + trump, RANKS.index(rank_of(card))


class RandomPlayer(RandomBot):
    """Plays any card."""


class Thrifty(CardPlayer):
    """Takes points with the cheapest card that does; otherwise plays its cheapest."""

    def play(self, hand: Cards) -> Card:
        """Take the trick if its points are worth the card, else discard the cheapest card."""
        takers = [card for card in hand if self.takes(card)] if count_points(self.trick) else []
        return min(takers or hand, key=self.price)


class CardCounter(CardPlayer):
    """Counts cards: weighs what a trick may bring; knows all hands at the end of a game of two."""

    def play(self, hand: Cards) -> Card:
        """Return the card whose expected gain exceeds the value of keeping it by most."""
        unseen = self.find_unseen(hand)
        if self.seats == 2 and not self.stock:  # noqa: PLR2004
            led = self.trick[0] if self.trick else None
            return solve_endgame(hand, unseen, led, self.trump)[1]
        return max(hand, key=lambda card: self.expected_gain(card, unseen) - self.keep_value(card))

    def explain(self, question: Question[Card], answer: Card) -> str:
        """Return the effect of the card on the trick, and which better cards it leaves."""
        hand: Any = question.options
        if len(hand) == 1:
            return "It is your only card."
        if self.seats == 2 and not self.stock:  # noqa: PLR2004
            return self._explain_endgame(hand, answer)
        effect, others = (
            self._explain_trick(hand, answer),
            [card for card in hand if card != answer],
        )
        trumps = [card for card in others if self.is_trump(card)]
        if trumps and not self.is_trump(answer):
            return f"{effect}, and keeps your {'trump' if len(trumps) == 1 else 'trumps'}."
        if count_points(others) and not count_points([answer]):
            return f"{effect}, and keeps your cards with points."
        return f"{effect}, and your other cards are worth more later."

    def _explain_endgame(self, hand: Cards, card: Card) -> str:
        """Return how many of the points that are left a card brings, and the next best card."""
        other = self.find_unseen(hand)
        led = self.trick[0] if self.trick else None
        left = count_points((*hand, *other, *self.trick))
        if not left:
            return "Both hands are known by now, and no points are left."
        gains = {
            each: (left + gain_of_card(each, hand, other, led, self.trump)) // 2 for each in hand
        }
        best = gains.pop(card)
        most = max(gains.values())
        known = f"Both hands are known by now: it brings {best} of the {name_points(left)} left"
        if most == best:
            return f"{known}, and no other card brings more."
        return f"{known}, and every other card at most {most}."

    def _explain_trick(self, hand: Cards, card: Card) -> str:
        """Return the effect of this card of the hand on the trick, in points."""
        trick, own = (*self.trick, card), count_points([card])
        only = f"{'only ' * (0 < own <= MAX_SMALL_POINTS)}{name_points(own)}"
        winner = (*self.players, self.seat)[find_taker(trick, self.trump)]
        to_come = range(self.seat + 1, self.seat + 1 + self.seats - len(trick))
        is_settled = not to_come or not self.find_beaters(trick, self.find_unseen(hand))
        if winner == self.seat:
            if not self.trick:
                return "It cannot be beaten" if is_settled else f"It risks {only}"
            return f"It takes {name_points(count_points(trick))}{'' if is_settled else ' so far'}"
        if self.is_ours(winner):
            return f"It adds {name_points(own)} to your partner's trick"
        if not is_settled and any(map(self.is_ours, to_come)):
            return f"It risks {only}"
        return f"It gives away {only}"

    def keep_value(self, card: Card) -> float:
        """Estimate the points that a card may still bring if it is kept."""
        rank = RANKS.index(rank_of(card))
        return (
            KEEP_TRUMP_POINTS * self.is_trump(card)
            + KEEP_POINTS_PER_POINT * count_points([card])
            + KEEP_POINTS_PER_RANK * rank
        )

    def expected_gain(self, card: Card, unseen: Cards) -> float:
        """Return the points that this side may expect to win from each of the others."""
        trick = (*self.trick, card)
        winner = (*self.players, self.seat)[find_taker(trick, self.trump)]
        lost = self.loss_probability(trick, unseen) if self.is_ours(winner) else 1.0
        return count_points(trick) * (1 - lost - lost / (count_sides(self.seats) - 1))

    def loss_probability(self, trick: Cards, unseen: Cards) -> float:
        """Estimate the probability that another side takes the trick from this side."""
        to_come = range(self.seat + 1, self.seat + 1 + self.seats - len(trick))
        cards = HAND_SIZE * sum(not self.is_ours(seat) for seat in to_come)
        if not cards:
            return 0.0
        able = len(self.find_beaters(trick, unseen))
        can = 1 - (1 - able / len(unseen)) ** cards
        return can * min(1.0, TAKE_PROBABILITY + TAKE_PROBABILITY_PER_POINT * count_points(trick))

    def find_unseen(self, hand: Cards) -> Cards:
        """Return the cards that this seat, with this hand, has not seen."""
        return remove_cards(build_pack(self.seats), (*hand, *self.gone))

    def find_beaters(self, trick: Cards, unseen: Cards) -> Cards:
        """Return those of the unseen cards that would take a trick."""
        return tuple(
            card for card in unseen if find_taker((*trick, card), self.trump) == len(trick)
        )

    def is_ours(self, seat: Seat) -> bool:
        """Return whether a seat (modulo the number of seats) is this one or its partner's."""
        return (seat - self.seat) % count_sides(self.seats) == 0


def name_points(points: int) -> str:
    """Return the words for so many points.

    >>> name_points(0), name_points(1), name_points(11)
    ('no points', '1 point', '11 points')
    """
    return format_count(points, "point") if points else "no points"


BOTS: dict[str, type[Bot]] = {"random": RandomPlayer, "thrifty": Thrifty, "counter": CardCounter}


def solve_endgame(hand: Cards, other: Cards, led: Card | None, trump: Card) -> tuple[int, Card]:
    """Return the lead in points that the next player can gain, and the card for that.

    This is the end of a game of two: the stock is empty, so a player who counted cards knows both
    hands. `led` is the card that the opponent has led, or None; both players play optimally.

    The opponent loses its three, whether or not it takes the seven with its trump:

    >>> solve_endgame(("7D", "6S"), ("7S", "3C"), None, "5S")
    (10, '7D')
    """
    return max((gain_of_card(card, hand, other, led, trump), card) for card in hand)


def gain_of_card(card: Card, hand: Cards, other: Cards, led: Card | None, trump: Card) -> int:
    """Return the lead in points that the next player can gain by playing this card."""
    hand = remove_cards(hand, (card,))
    if led is None:
        return -solve_endgame(other, hand, card, trump)[0]
    trick = (led, card)
    if find_taker(trick, trump):
        return count_points(trick) + (solve_endgame(hand, other, None, trump)[0] if hand else 0)
    return -count_points(trick) - (solve_endgame(other, hand, None, trump)[0] if other else 0)


class TrumpsFirst(CardPlayer):
    """Plays its most valuable card, trumps first."""

    def play(self, hand: Cards) -> Card:
        """Return the most valuable card."""
        return max(hand, key=self.price)


SCENARIOS: Sequence[Scenario] = (
    Scenario("the opponent plays its trumps first", (TrumpsFirst,)),
    Scenario("three deals, each led by another player", (Thrifty,), 1, {"deals": 3}),
    Scenario("three play, without the 2C", (CardCounter, Thrifty), 1),
    Scenario("four play in pairs", (Thrifty, CardCounter, Thrifty), 2),
    Scenario("an opponent of three fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Thrifty), RandomPlayer), 0, {"deals": 2}),
)  # fmt: skip
