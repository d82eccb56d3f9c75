"""Hearts: take no hearts and not the queen of spades in your tricks, or take them all.

The rules are the common American ones, as on pagat.com/reverse/hearts.html and in the rules
that the Bicycle cards come with; where these differ there is an option, and the page of the
protocol lists other variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from attrs import evolve, field, frozen, validators

from arena import OneOf, Question, Seat, SomeOf, Table
from arena.cards import (
    FRENCH,
    Card,
    Cards,
    build_deck,
    deal,
    find_trick_winner,
    follow_suit,
    redistribute,
    remove_cards,
    sort_cards,
    suit_of,
)

HEARTS = "H"
QUEEN = "QS"

ALL_HEARTS = build_deck(suits=HEARTS)

CARD_POINTS = {QUEEN: 13, **dict.fromkeys(ALL_HEARTS, 1)}
"""The points of the cards that have any."""

ALL_POINTS = sum(CARD_POINTS.values())

REMOVED_CARDS: dict[int, Cards] = {3: ("2D",), 4: (), 5: ("2D", "2C")}
"""The cards left out by number of seats, so that all hands have the same size."""

CARD_ORDER = {card: at for at, card in enumerate(FRENCH)}
"""The order of a hand: suit by suit, from low to high."""

PASSED_CARDS = 3
"""The number of cards that each seat passes."""

LEFT, RIGHT, ACROSS, HOLD = "left", "right", "across", "hold"

DIRECTIONS = {3: (LEFT, RIGHT, HOLD), 4: (LEFT, RIGHT, ACROSS, HOLD), 5: (LEFT, RIGHT, HOLD)}
"""The directions of passing from deal to deal, repeated in this order."""

STEPS = {LEFT: 1, ACROSS: 2, RIGHT: -1, HOLD: 0}
"""The offset in seats of each direction."""

Hands = tuple[Cards, ...]
Points = tuple[int, ...]


@frozen
class DealStarted:
    """Cards are dealt: which deal it is, counted from 1, and where three cards go.

    `points` are those of each seat, of all deals before.
    """

    number: int
    direction: str  # left, right, across; hold: nobody passes cards
    points: tuple[int, ...]


@frozen
class Hand:
    """These are your cards, as a deal or a trick begins."""

    cards: Cards


@frozen
class Received:
    """A seat has passed you these."""

    seat: Seat
    cards: Cards


@frozen
class Played:
    """A seat plays a card to the trick."""

    seat: Seat
    card: Card


@frozen
class Taken:
    """A seat takes the trick, with so many points in it, and leads to the next."""

    seat: Seat
    points: int


@frozen
class Scored:
    """The deal is over: what each seat gets for it, and has in all."""

    deal: tuple[int, ...]
    points: tuple[int, ...]


@frozen
class PassCards(Question[Cards]):
    """Asks which three cards to pass to that seat."""

    options: SomeOf[Card]
    to: Seat


@frozen
class PlayCard(Question[Card]):
    """Which card do you play? The options are those that may be played."""

    options: OneOf[Card]


MESSAGES = (DealStarted, Hand, Received, Played, Taken, Scored, PassCards, PlayCard)


@frozen
class Hearts:
    """The variant: the end of a match, passing, and two rules that vary between tables."""

    limit: int = field(
        default=100,
        validator=validators.ge(1),
        metadata={"help": "Points at which the match ends"},
    )
    deals: int = field(
        default=100,
        validator=validators.ge(1),
        metadata={"help": "Most deals in a match"},
    )
    passing: bool = field(
        default=True,
        metadata={"help": "Pass three cards to another player before a deal"},
    )
    moon: str = field(
        default="others",
        validator=validators.in_(("others", "self")),
        metadata={
            "help": "When one player takes all points of a deal,",
            "choices": {
                "others": "all others get 26 points",
                "self": "that player loses 26 points",
            },
        },
    )
    queen_breaks: bool = field(
        default=False,
        metadata={"help": "Hearts may also be led once the queen of spades was played"},
    )

    async def deal(self, table: Table) -> HeartsPosition:
        """Deal the first hands."""
        return deal_cards(self, table, 1, (0,) * len(table.seats))


@frozen
class HeartsPosition:
    """The game between two rounds: a deal's passing is a round, and each trick is one.

    A position can be built from hands and a direction alone; hands are sorted.
    """

    variant: Hearts
    hands: Hands
    direction: str = HOLD
    leader: Seat | None = None  # of the next trick; None before cards were passed
    taken: Points = field()  # points in this deal's tricks
    broken: bool = False  # whether hearts may be led
    points: Points = field()  # points of the deals before
    number: int = 1  # the number of this deal, from 1

    @taken.default
    @points.default
    def _none(self) -> Points:
        return (0,) * len(self.hands)

    @property
    def over(self) -> bool:
        """Whether the last card of the last deal has been played."""
        return not any(self.hands)

    @property
    def scores(self) -> Points:
        """The scores by seat: minus the points, including those of the current deal."""
        return tuple(-had - got for had, got in zip(self.points, self.taken, strict=True))

    @property
    def rounds(self) -> int:
        """The number of deals that have been played."""
        return self.number - (not self.over)

    @property
    def is_first_trick(self) -> bool:
        """Whether no card of this deal has been played."""
        return len(self.hands[0]) * len(self.hands) == len(build_pack(len(self.hands)))

    @property
    def first_leader(self) -> Seat:
        """The seat with the lowest club, which leads to the first trick."""
        lowest = build_pack(len(self.hands))[0]
        return next(seat for seat, hand in enumerate(self.hands) if lowest in hand)

    async def round(self, table: Table) -> HeartsPosition:
        """Pass cards, or play a trick."""
        return await (
            self._play_trick(table) if self.leader is not None else self._play_passing(table)
        )

    async def _play_passing(self, table: Table) -> HeartsPosition:
        """Show each seat its hand, and ask for cards to pass unless the direction is hold."""
        table.announce(DealStarted(self.number, self.direction, self.points))
        self._show_hands(table)
        hands, step = self.hands, STEPS[self.direction]
        if step:
            seats = len(hands)
            to = {seat: (seat + step) % seats for seat in table.seats}
            passed = await table.ask_all(
                {
                    seat: PassCards(SomeOf(hand, PASSED_CARDS, PASSED_CARDS), to[seat])
                    for seat, hand in enumerate(hands)
                }
            )
            hands = exchange_cards(table, hands, to, passed)
        after = evolve(self, hands=hands)
        return evolve(after, leader=after.first_leader)

    def _show_hands(self, table: Table) -> None:
        for seat in table.seats:
            table.tell(seat, Hand(self.hands[seat]))

    async def _play_trick(self, table: Table) -> HeartsPosition:
        """Ask all seats for a card; the highest of the suit led takes the trick."""
        self._show_hands(table)
        assert self.leader is not None
        order = [*table.seats[self.leader :], *table.seats[: self.leader]]
        first, trick = self.is_first_trick, list[Card]()
        for seat in order:
            options = list_playable(self.hands[seat], trick, first, self.broken)
            trick.append(await table.ask(seat, PlayCard(OneOf(options))))
            table.announce(Played(seat, trick[-1]))
        taker = order[find_trick_winner(trick)]
        worth = sum(CARD_POINTS.get(card, 0) for card in trick)
        table.announce(Taken(taker, worth))
        after = self._after(dict(zip(order, trick, strict=True)), taker, worth)
        return after if after.hands[0] else after.finish_deal(table)

    def _after(self, trick: dict[Seat, Card], taker: Seat, worth: int) -> HeartsPosition:
        """Return the position after this seat took these cards."""
        hands = tuple(remove_cards(hand, (trick[seat],)) for seat, hand in enumerate(self.hands))
        taken = tuple(had + worth * (seat == taker) for seat, had in enumerate(self.taken))
        broken = self.broken or any(map(self._breaks, trick.values()))
        return HeartsPosition(
            self.variant, hands, self.direction, taker, taken, broken, self.points, self.number
        )

    def _breaks(self, card: Card) -> bool:
        return suit_of(card) == HEARTS or (card == QUEEN and self.variant.queen_breaks)

    def finish_deal(self, table: Table) -> HeartsPosition:
        """Score a deal; deal the next one unless this was the last."""
        variant = self.variant
        won = score_deal(self.taken, variant.moon)
        points = tuple(had + got for had, got in zip(self.points, won, strict=True))
        table.announce(Scored(won, points))
        if max(points) >= variant.limit or self.number >= variant.deals:
            return HeartsPosition(variant, self.hands, points=points, number=self.number)
        return deal_cards(variant, table, self.number + 1, points)

    def resample_hidden(self, seat: Seat, random: Random) -> HeartsPosition:
        """Shuffle the cards of the other seats.

        If nothing is to be passed first, the holder of the lowest club is known before this seat is
        asked again, so that card stays. The cards that this seat has passed, and the void suits of
        the others, are not considered: a bot has to remember those.
        """
        settled = self.leader is not None or self.direction == HOLD
        lowest = build_pack(len(self.hands))[:1] if settled else ()
        hands = redistribute(self.hands, random, known=(*self.hands[seat], *lowest))
        return evolve(self, hands=tuple(map(sort_cards, hands)))


def deal_cards(variant: Hearts, table: Table, number: int, points: Points) -> HeartsPosition:
    """Return the position before the players see their cards of this deal."""
    seats = len(points)
    hands = tuple(map(sort_cards, deal(build_pack(seats), seats, table.random)))
    turns = DIRECTIONS[seats]
    direction = turns[(number - 1) % len(turns)] if variant.passing else HOLD
    return HeartsPosition(variant, hands, direction, points=points, number=number)


def list_playable(hand: Cards, trick: Sequence[Card], first: bool, broken: bool) -> Cards:
    """Return the cards of a hand that may be played to a trick, which may be the deal's `first`."""
    if trick:
        cards = follow_suit(hand, trick[0])
        return remove_cards(cards, CARD_POINTS if first else ()) or cards
    if first:
        return sort_cards(hand)[:1]  # the lowest club of all, since its holder leads
    return remove_cards(hand, () if broken else ALL_HEARTS) or hand


def score_deal(taken: Points, moon: str) -> Points:
    """Return each seat's penalty points for the points in its tricks."""
    if ALL_POINTS not in taken:
        return taken
    if moon == "self":
        return tuple(-points for points in taken)
    return tuple(ALL_POINTS - points for points in taken)


def exchange_cards(
    table: Table, hands: Hands, to: dict[Seat, Seat], passed: dict[Seat, Cards]
) -> Hands:
    """Return the hands after each seat received the cards passed to it."""
    after = [remove_cards(hand, passed[seat]) for seat, hand in enumerate(hands)]
    for seat, cards in passed.items():
        table.tell(to[seat], Received(seat, sort_cards(cards)))
        after[to[seat]] += cards
    return tuple(map(sort_cards, after))


@lru_cache
def build_pack(seats: int) -> Cards:
    """Return the cards for this number of seats, first the one that leads to the first trick."""
    return remove_cards(FRENCH, REMOVED_CARDS[seats])
