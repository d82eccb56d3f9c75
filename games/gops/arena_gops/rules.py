"""GOPS (Goofspiel): bid a card of your suit for the prize turned up; the highest takes it.

Rules: Ross 1971, "Goofspiel: the game of pure strategy".
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

from attrs import define, field, frozen, validators

from arena import OneOf, Question, Score, Seat, Table

Hand = OneOf[int]
Scores = tuple[Score, ...]

TIES = ("discard", "split", "carry")
ORDERS = ("shuffled", "ascending", "descending")
MAX_CARDS = 1000


@frozen
class Prize:
    """This card is up now."""

    card: int


@frozen
class Bids:
    """These were bid for it, in seat order."""

    cards: tuple[int, ...]


@frozen
class Bid(Question[int]):
    """Asks which card of the hand to bid."""


def _validate_prizes(variant: Gops, _: object, prizes: str | tuple[int, ...]) -> None:
    if isinstance(prizes, str):
        if prizes not in ORDERS:
            raise ValueError(f"prizes: {prizes!r} is neither a list nor one of {', '.join(ORDERS)}")
    elif len(prizes) != variant.cards or not all(map(_is_value, prizes)):
        raise ValueError(f"prizes: not a list of {variant.cards} whole numbers of 1 or more")


def _is_value(prize: object) -> bool:
    """Whether this is the value of a card. True and 1.0 are not, although they equal 1."""
    return type(prize) is int and prize >= 1


@frozen
class Gops:
    """The variant: the number of cards, the rule for ties, and the order of the prizes."""

    cards: int = field(
        default=13,
        validator=[validators.ge(1), validators.le(MAX_CARDS)],
        metadata={"help": "Cards in each hand, and prizes"},
    )
    ties: str = field(
        default="discard",
        validator=validators.in_(TIES),
        metadata={
            "help": "When the highest bids tie, the prize is",
            "choices": {
                "discard": "lost",
                "split": "shared by the tied players",
                "carry": "added to the next prize",
            },
        },
    )
    prizes: str | tuple[int, ...] = field(
        default="shuffled",
        validator=_validate_prizes,
        metadata={
            "help": "The prizes come",
            "choices": {
                "shuffled": "in random order",
                "ascending": "from the lowest to the highest",
                "descending": "from the highest to the lowest",
            },
        },
    )

    @property
    def suit(self) -> Hand:
        """The hand of each player at the start."""
        return build_suit(self.cards)

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the prizes, sorted so that they do not reveal the order."""
        return self.suit if isinstance(self.prizes, str) else tuple(sorted(self.prizes))

    async def deal(self, table: Table) -> GopsPosition:
        """Deal a suit to each seat, and put the prizes in order."""
        seats = len(table.seats)
        return GopsPosition(self, (self.suit,) * seats, self._prizes(table), (0,) * seats)

    def _prizes(self, table: Table) -> tuple[int, ...]:
        if not isinstance(self.prizes, str):
            return self.prizes
        if self.prizes == "shuffled":
            prizes = list(self.suit)
            table.random.shuffle(prizes)
            return tuple(prizes)
        return tuple(self.suit if self.prizes == "ascending" else reversed(self.suit))


@lru_cache
def build_suit(cards: int) -> Hand:
    """Return a full suit of `cards` cards."""
    return OneOf(range(1, cards + 1))


@frozen
class GopsPosition:
    """The game between two rounds, the next prize still face down."""

    variant: Gops
    hands: tuple[Hand, ...]
    prizes: tuple[int, ...]  # the prizes to come, the next one first
    scores: Scores
    carried: int = 0  # points for the next winner, with ties="carry"

    @property
    def over(self) -> bool:
        """Whether all prizes are gone."""
        return not self.prizes

    async def round(self, table: Table) -> GopsPosition:
        """Turn up a prize, ask for bids, show them, and award the prize."""
        prize = self.prizes[0]
        table.announce(cached_prize(prize))
        answers = await table.ask_all(dict(enumerate(map(build_question, self.hands))))
        bids = tuple(answers.values())
        table.announce(cached_bids(bids))
        hands = tuple(map(without, self.hands, bids))
        stake = prize + self.carried
        scores, carried = award_prize(self.variant.ties, stake, self.scores, bids)
        return GopsPosition(self.variant, hands, self.prizes[1:], scores, carried)

    def resample_hidden(self, seat: Seat, random: Random) -> GopsPosition:
        """Shuffle the prizes that are face down, if their order was random.

        Hands are public, since all bids are shown.
        """
        if self.variant.prizes != "shuffled":
            return self
        rest = random.sample(self.prizes[1:], len(self.prizes[1:]))
        prizes = (*self.prizes[:1], *rest)
        return GopsPosition(self.variant, self.hands, prizes, self.scores, self.carried)


# Frozen objects that recur in game after game are cached if there are few of them. Hands are not:
# there are 8,192 of 13 cards, and a look-up in a cache takes longer than building one.
cached_prize = lru_cache(maxsize=1 << 10)(Prize)
cached_bids = lru_cache(maxsize=1 << 12)(Bids)


def build_question(hand: Hand) -> Bid:
    """Return the question for a hand, which may be a plain tuple."""
    return Bid(hand if isinstance(hand, OneOf) else OneOf(hand))


def without(hand: Hand, card: int) -> Hand:
    """Return the hand without the card that was bid."""
    left = list(hand)
    left.remove(card)
    return OneOf(left)


def award_prize(ties: str, stake: int, scores: Scores, bids: tuple[int, ...]) -> tuple[Scores, int]:
    """Return the scores after these bids for the stake, and the points to carry over.

    The highest bid takes the stake; `ties` is the rule if several bids are highest.
    """
    highest = max(bids)
    winners = bids.count(highest)
    if winners == 1:
        return add_points(scores, bids.index(highest), stake), 0
    if ties == "split":
        share = Fraction(stake, winners)
        pairs = zip(scores, bids, strict=True)
        return tuple(score + share if bid == highest else score for score, bid in pairs), 0
    return scores, stake if ties == "carry" else 0


def add_points(scores: Scores, seat: Seat, points: int) -> Scores:
    """Return the scores with these points added to a seat's."""
    after = list(scores)
    after[seat] += points
    return tuple(after)


@define
class Scoreboard:
    """Prizes, bids, hands and scores of a game, from its events: `board.hear(event)`.

    Bots and narrators have a scoreboard each. It awards prizes with `award_prize`, as the rules do,
    so the two cannot differ.
    """

    variant: Gops
    seats: int
    prizes: list[int] = field(init=False, factory=list)  # turned up so far; the last is up now
    bids: list[tuple[int, ...]] = field(init=False, factory=list)  # the bids of the rounds played
    hands: tuple[Hand, ...] = field(init=False)  # the cards left, in seat order
    scores: Scores = field(init=False)
    carried: int = field(init=False, default=0)  # points for the next winner
    winners_by_round: list[tuple[Seat, ...]] = field(
        init=False, factory=list
    )  # the seats that got points, by round

    @hands.default
    def _suits(self) -> tuple[Hand, ...]:
        return (self.variant.suit,) * self.seats

    @scores.default
    def _nothing(self) -> Scores:
        return (0,) * self.seats

    @property
    def takers(self) -> tuple[Seat, ...]:
        """The seats that got points in the last round."""
        return self.winners_by_round[-1] if self.winners_by_round else ()

    @property
    def leaders(self) -> list[Seat]:
        """The seats with the most points, in seat order."""
        return [seat for seat, score in enumerate(self.scores) if score == max(self.scores)]

    @property
    def prize(self) -> int:
        """The prize that is up, or was up last."""
        return self.prizes[-1]

    @property
    def stake(self) -> int:
        """The points of the prize that is up, with those carried over."""
        return self.prize + self.carried

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first prize."""
        return len(self.prizes)

    @property
    def over(self) -> bool:
        """Whether all prizes have been bid for."""
        return len(self.bids) == self.variant.cards

    @property
    def face_down(self) -> tuple[int, ...]:
        """The prizes still to be turned up, the lowest first."""
        rest = list(self.variant.values)
        for prize in self.prizes:
            rest.remove(prize)
        return tuple(rest)

    def hear(self, event: Any) -> None:
        """Record a prize or bids; ignore other events."""
        if isinstance(event, Prize):
            self.prizes.append(event.card)
        elif isinstance(event, Bids):
            self._settle(event.cards)

    def _settle(self, bids: tuple[int, ...]) -> None:
        before = self.scores
        self.scores, self.carried = award_prize(self.variant.ties, self.stake, before, bids)
        gained = (seat for seat in range(self.seats) if self.scores[seat] > before[seat])
        self.winners_by_round.append(tuple(gained))
        self.hands = tuple(map(without, self.hands, bids))
        self.bids.append(bids)
