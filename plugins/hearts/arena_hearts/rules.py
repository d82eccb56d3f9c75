"""Hearts: take no hearts and not the queen of spades in your tricks, or take them all.

The rules are the common American ones, as on pagat.com/reverse/hearts.html and in the rules
that the Bicycle cards come with; where these differ there is an option, and the page of the
protocol says what other tables do.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from attrs import evolve, field, frozen, validators

from arena import OneOf, Seat, SomeOf, Table
from arena.cards import (
    Card,
    Cards,
    deal,
    following,
    in_order,
    mixed,
    suit_of,
    trick_winner,
    without,
)
from arena_hearts.cards import ALL_HEARTS, ALL_POINTS, HEARTS, QUEEN, WORTH, pack
from arena_hearts.messages import (
    ACROSS,
    HOLD,
    LEFT,
    RIGHT,
    Deal,
    Hand,
    Pass,
    Play,
    Played,
    Received,
    Scored,
    Taken,
)

PASSED = 3
"""So many cards each seat passes."""

DIRECTIONS = {3: (LEFT, RIGHT, HOLD), 4: (LEFT, RIGHT, ACROSS, HOLD), 5: (LEFT, RIGHT, HOLD)}
"""Where cards go, from deal to deal; then it begins again."""

STEPS = {LEFT: 1, ACROSS: 2, RIGHT: -1, HOLD: 0}
"""How many seats on in the order of play that is."""

Hands = tuple[Cards, ...]
Points = tuple[int, ...]


@frozen
class Hearts:
    """The variant: when a match ends, whether cards are passed, and two rules that differ.

    It ends with the deal after which somebody has at least `limit` points, or after so many
    `deals`. Who has shot the `moon` gives all `others` 26 points, or takes 26 off the own
    (`self`). With `queen_breaks`, hearts may be led after QS was played as well.
    """

    limit: int = field(default=100, validator=validators.ge(1))
    deals: int = field(default=100, validator=validators.ge(1))
    passing: bool = True
    moon: str = field(default="others", validator=validators.in_(("others", "self")))
    queen_breaks: bool = False

    async def deal(self, table: Table) -> HeartsPosition:
        """Deal for the first time."""
        return deal_out(self, table, 1, (0,) * len(table.seats))


def deal_out(variant: Hearts, table: Table, number: int, points: Points) -> HeartsPosition:
    """Return the position in which this deal's cards are not yet looked at."""
    seats = len(points)
    hands = tuple(map(in_order, deal(pack(seats), seats, table.random)))
    turns = DIRECTIONS[seats]
    direction = turns[(number - 1) % len(turns)] if variant.passing else HOLD
    return HeartsPosition(variant, hands, direction, points=points, number=number)


def playable(hand: Cards, trick: Sequence[Card], first: bool, broken: bool) -> Cards:
    """Return those of a hand that may be played to a trick, the `first` of a deal perhaps."""
    if trick:
        cards = following(hand, trick[0])
        return without(cards, WORTH if first else ()) or cards
    if first:
        return in_order(hand)[:1]  # the lowest club of all, or else somebody else would lead
    return without(hand, () if broken else ALL_HEARTS) or hand


def deal_points(taken: Points, moon: str) -> Points:
    """Return what each seat gets for the points that it took."""
    if ALL_POINTS not in taken:
        return taken
    if moon == "self":
        return tuple(-points for points in taken)
    return tuple(ALL_POINTS - points for points in taken)


@frozen
class HeartsPosition:
    """The game between two rounds: a deal's passing is a round, and each trick is one.

    One can be built from hands and a direction alone; the cards of a hand are in order.
    """

    variant: Hearts
    hands: Hands
    direction: str = HOLD
    leader: Seat | None = None  # to the next trick; nobody before cards were passed
    taken: Points = field()  # in this deal
    broken: bool = False  # may hearts be led?
    points: Points = field()  # of the deals before
    number: int = 1  # of the deal

    @taken.default
    @points.default
    def _none(self) -> Points:
        return (0,) * len(self.hands)

    @property
    def over(self) -> bool:
        """Has the last card of the last deal been played?"""
        return not any(self.hands)

    @property
    def scores(self) -> Points:
        """Count a point less for each point, those in the tricks of an open deal as well."""
        return tuple(-had - got for had, got in zip(self.points, self.taken, strict=True))

    @property
    def rounds(self) -> int:
        """Return how many deals have been played."""
        return self.number - (not self.over)

    @property
    def untouched(self) -> bool:
        """Has no card of this deal been played?"""
        return len(self.hands[0]) * len(self.hands) == len(pack(len(self.hands)))

    @property
    def first_leader(self) -> Seat:
        """Return who holds the lowest club, which leads to the first trick."""
        lowest = pack(len(self.hands))[0]
        return next(seat for seat, hand in enumerate(self.hands) if lowest in hand)

    async def round(self, table: Table) -> HeartsPosition:
        """Pass cards, or play a trick."""
        return await (self._trick(table) if self.leader is not None else self._passing(table))

    async def _passing(self, table: Table) -> HeartsPosition:
        """Let all look at their cards, and pass three unless this is a deal to hold them."""
        table.announce(Deal(self.number, self.direction, self.points))
        self._show_hands(table)
        hands, step = self.hands, STEPS[self.direction]
        if step:
            seats = len(hands)
            to = {seat: (seat + step) % seats for seat in table.seats}
            passed = await table.ask_all(
                {
                    seat: Pass(SomeOf(hand, PASSED, PASSED), to[seat])
                    for seat, hand in enumerate(hands)
                }
            )
            hands = exchanged(table, hands, to, passed)
        after = evolve(self, hands=hands)
        return evolve(after, leader=after.first_leader)

    def _show_hands(self, table: Table) -> None:
        for seat in table.seats:
            table.tell(seat, Hand(self.hands[seat]))

    async def _trick(self, table: Table) -> HeartsPosition:
        """Let all play a card, and the highest of the suit that was led take them."""
        self._show_hands(table)
        assert self.leader is not None
        order = [*table.seats[self.leader :], *table.seats[: self.leader]]
        first, trick = self.untouched, list[Card]()
        for seat in order:
            options = playable(self.hands[seat], trick, first, self.broken)
            trick.append(await table.ask(seat, Play(OneOf(options))))
            table.announce(Played(seat, trick[-1]))
        taker = order[trick_winner(trick)]
        worth = sum(WORTH.get(card, 0) for card in trick)
        table.announce(Taken(taker, worth))
        after = self._after(dict(zip(order, trick, strict=True)), taker, worth)
        return after if after.hands[0] else after.settled(table)

    def _after(self, trick: dict[Seat, Card], taker: Seat, worth: int) -> HeartsPosition:
        """Return the position in which these were played, and this seat has them."""
        hands = tuple(without(hand, (trick[seat],)) for seat, hand in enumerate(self.hands))
        taken = tuple(had + worth * (seat == taker) for seat, had in enumerate(self.taken))
        broken = self.broken or any(map(self._breaks, trick.values()))
        return HeartsPosition(
            self.variant, hands, self.direction, taker, taken, broken, self.points, self.number
        )

    def _breaks(self, card: Card) -> bool:
        return suit_of(card) == HEARTS or (card == QUEEN and self.variant.queen_breaks)

    def settled(self, table: Table) -> HeartsPosition:
        """Write the points of a deal down; deal again, if this was not the last."""
        variant = self.variant
        won = deal_points(self.taken, variant.moon)
        points = tuple(had + got for had, got in zip(self.points, won, strict=True))
        table.announce(Scored(won, points))
        if max(points) >= variant.limit or self.number >= variant.deals:
            return HeartsPosition(variant, self.hands, points=points, number=self.number)
        return deal_out(variant, table, self.number + 1, points)

    def resample_hidden(self, seat: Seat, random: Random) -> HeartsPosition:
        """Mix what the other seats hold.

        Who holds the lowest club shows before this seat is next asked, if nothing is passed
        before: that card stays. Which cards a seat has passed, and which suits the others
        are out of, it has to remember itself.
        """
        settled = self.leader is not None or self.direction == HOLD
        lowest = pack(len(self.hands))[:1] if settled else ()
        hands = mixed(self.hands, random, known=(*self.hands[seat], *lowest))
        return evolve(self, hands=tuple(map(in_order, hands)))


def exchanged(table: Table, hands: Hands, to: dict[Seat, Seat], passed: dict[Seat, Cards]) -> Hands:
    """Let each seat have what was passed to it; return the hands."""
    after = [without(hand, passed[seat]) for seat, hand in enumerate(hands)]
    for seat, cards in passed.items():
        table.tell(to[seat], Received(seat, in_order(cards)))
        after[to[seat]] += cards
    return tuple(map(in_order, after))
