"""Briscola: tricks with a trump and a draw from the stock after each; no duty to follow suit.

Rules: Briscola as it is published for two, three and four, such as in the Italian Wikipedia.
Three players leave out the 2 of coppe; four play in pairs, with partners opposite each other.
Regional customs are left out: signals between partners, showing one's hand to them when the stock
is empty, exchanging the card turned up.

The Italian pack has forty cards. Its suits are Coppe (cups), Denari (coins), Spade (swords) and
Bastoni (clubs, batons). `K` is the re (king), `Q` the cavallo (horse; the queen of French packs),
`J` the fante (jack).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from attrs import evolve, field, frozen, validators

from arena import OneOf, Question, Seat, Table
from arena.cards import (
    Card,
    Cards,
    build_deck,
    find_trick_winner,
    rank_of,
    redistribute,
    remove_cards,
    shuffle,
    sort_cards,
    suit_of,
)

RANKS = "24567JQK3A"
"""The ranks from low to high: the three is just below the ace."""

SUITS = "CDSB"

FULL_PACK = build_deck(RANKS, SUITS)

POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
"""The points of the ranks that have any; the pack has 120."""

REMOVED_FOR_THREE: Cards = ("2C",)
"""The card that three players leave out, so that the pack divides evenly."""

HAND_SIZE = 3
"""The size of a hand while there is a stock."""

MAX_DEALS = 100


@frozen
class Trick:
    """A trick begins: who leads, the card turned up, how many cards the stock has, the scores.

    The card turned up is one of the stock, the last to be drawn. The first trick of a deal
    is the one that finds the most cards there.
    """

    leader: Seat
    trump: Card
    stock: int
    scores: tuple[int, ...]  # of each seat, in all deals so far


@frozen
class Hand:
    """These are your cards."""

    cards: Cards


@frozen
class Played:
    """A seat has played this card."""

    seat: Seat
    card: Card


@frozen
class Taken:
    """A seat has taken the trick, which counts so much."""

    seat: Seat
    points: int


@frozen
class PlayCard(Question[Card]):
    """Which of your cards do you play? Any will do."""

    options: OneOf[Card]


MESSAGES = (Trick, Hand, Played, Taken, PlayCard)


@frozen
class Briscola:
    """The variant: the number of deals in a match, whose points are added up."""

    deals: int = field(
        default=1,
        validator=[validators.ge(1), validators.le(MAX_DEALS)],
        metadata={"help": "Deals in a match, whose points are added up"},
    )

    def teams(self, seats: int) -> Sequence[Sequence[Seat]]:
        """Return the seats of each side: those who sit across are partners."""
        step = count_sides(seats)
        return [range(side, seats, step) for side in range(step)]

    async def deal(self, table: Table) -> BriscolaPosition:
        """Deal the first hands."""
        return deal_cards(self, table, 1, (0,) * len(table.seats))


@frozen
class BriscolaPosition:
    """The game between two tricks."""

    variant: Briscola
    hands: tuple[Cards, ...]  # in the order of the pack
    stock: Cards  # the cards to draw, the next one first; the last shows the trump
    trump: Card  # the card turned up
    leader: Seat
    taken: tuple[int, ...]  # points that each seat took itself, in all deals
    deal: int = 1  # the number of this deal, from 1

    @property
    def over(self) -> bool:
        """Whether the last card is played. While more deals follow, the hands are not empty."""
        return not any(self.hands)

    @property
    def scores(self) -> tuple[int, ...]:
        """Return the points of each seat; partners have the same."""
        step = count_sides(len(self.taken))
        return tuple(sum(self.taken[seat % step :: step]) for seat in range(len(self.taken)))

    async def round(self, table: Table) -> BriscolaPosition:
        """Play one trick; then draw cards, or deal the next deal."""
        table.announce(Trick(self.leader, self.trump, len(self.stock), self.scores))
        for seat in table.seats:
            table.tell(seat, Hand(self.hands[seat]))
        order = self._order(self.leader)
        trick = tuple([await self._play(table, seat) for seat in order])
        taker = order[find_taker(trick, self.trump)]
        table.announce(Taken(taker, count_points(trick)))
        after = self._after(trick, taker)
        if after.over and self.deal < self.variant.deals:
            return deal_cards(self.variant, table, self.deal + 1, after.taken)
        return after

    def _order(self, first: Seat) -> Sequence[Seat]:
        """Return all seats in order, starting with this one."""
        seats = range(len(self.hands))
        return (*seats[first:], *seats[:first])

    async def _play(self, table: Table, seat: Seat) -> Card:
        """Ask a seat for a card, and announce it."""
        card = await table.ask(seat, PlayCard(OneOf(self.hands[seat])))
        table.announce(Played(seat, card))
        return card

    def _after(self, trick: Cards, taker: Seat) -> BriscolaPosition:
        """Return the position after a trick: its taker draws first and leads."""
        order = self._order(taker)
        drawn = {seat: (card,) for seat, card in zip(order, self.stock, strict=False)}
        hands = tuple(
            sort_cards(remove_cards(hand, trick) + drawn.get(seat, ()), FULL_PACK)
            for seat, hand in enumerate(self.hands)
        )
        won = count_points(trick)
        taken = tuple(before + won * (seat == taker) for seat, before in enumerate(self.taken))
        stock = self.stock[len(drawn) :]
        return evolve(self, hands=hands, stock=stock, leader=taker, taken=taken)

    def resample_hidden(self, seat: Seat, random: Random) -> BriscolaPosition:
        """Shuffle all cards that this seat cannot see.

        The card turned up stays under the stock, or with the player who was seen to draw it.
        """
        known = (*self.hands[seat], self.trump)
        *hands, stock = redistribute((*self.hands, self.stock), random, known)
        return evolve(self, hands=tuple(sort_cards(hand, FULL_PACK) for hand in hands), stock=stock)


def deal_cards(
    variant: Briscola, table: Table, deal: int, taken: tuple[int, ...]
) -> BriscolaPosition:
    """Return the position after a deal: three cards each, and the next turned up under the stock.

    The first seat leads in the first deal, the next one in the next.
    """
    seats = len(taken)
    cards = shuffle(build_pack(seats), table.random)
    hands = tuple(
        sort_cards(cards[seat : HAND_SIZE * seats : seats], FULL_PACK) for seat in table.seats
    )
    trump, *stock = cards[HAND_SIZE * seats :]
    return BriscolaPosition(variant, hands, (*stock, trump), trump, (deal - 1) % seats, taken, deal)


def build_pack(seats: int) -> Cards:
    """Return the cards used at this number of seats: 40, or 39 for three."""
    return remove_cards(FULL_PACK, REMOVED_FOR_THREE) if seats == 3 else FULL_PACK  # noqa: PLR2004


def count_points(cards: Iterable[Card]) -> int:
    """Return the points that these cards are worth together.

    >>> count_points(["AC", "3D", "7S", "JB"])
    23
    """
    return sum(POINTS.get(rank_of(card), 0) for card in cards)


def find_taker(trick: Cards, trump: Card) -> int:
    """Return the index of the card that takes a trick; `trump` is the card turned up.

    >>> find_taker(("KC", "AD", "3C"), "7S"), find_taker(("KC", "2S", "AC"), "7S")
    (2, 1)
    """
    return find_trick_winner(trick, suit_of(trump), RANKS)


def count_sides(seats: int) -> int:
    """Return the number of sides: two pairs if four play, else one per seat."""
    return 2 if seats == 4 else seats  # noqa: PLR2004
