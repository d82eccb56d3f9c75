"""What a player at the table can know from what it was told."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from arena import Seat
from arena.cards import Card, Cards
from arena_bs.bots.plan import needed_last
from arena_bs.bots.record import Record
from arena_bs.cards import DECK, RANKS, SUITS, of_rank
from arena_bs.messages import Called, Hand, Judged, Played, Receives, Shown, Taken, Turn

PILE = -1
"""A place where cards can be, beside the seats."""

Places = frozenset[int]


@define
class Claim:
    """So many cards, laid by this seat as cards of this rank."""

    seat: Seat
    count: int
    rank: str
    settled: bool = False  # is it on the record, or of no interest to it?


@define
class Memory:
    """One seat's picture of the table, kept up to date by what the seat hears.

    `places` says of each card all the places where it can be.
    """

    me: Seat
    seats: range
    hand: Cards = ()
    laid: Cards = ()  # my own last play
    current: Seat = 0
    rank: str = RANKS[0]
    pile: list[Claim] = field(factory=list)  # the latest last
    counts: dict[Seat, int] = field(factory=dict)
    places: dict[Card, Places] = field(init=False)
    records: dict[Seat, Record] = field(init=False)
    _called: bool = False
    _taken: list[Claim] = field(factory=list)  # the pile that somebody has just got

    @places.default
    def _anywhere(self) -> dict[Card, Places]:
        return dict.fromkeys(DECK, frozenset(self.seats) - {self.me})

    @records.default
    def _no_records(self) -> dict[Seat, Record]:
        return {seat: Record() for seat in self.seats}

    def hear(self, event: Any) -> None:
        """Take note of an event."""
        match event:
            case Turn(players, rank):
                self.counts = {player.seat: count for player, count in players}
                self.current, self.rank = players[0][0].seat, rank
            case Hand(cards):
                self._hold(cards)
            case Played(player, count, rank):
                self._put(Claim(player.seat, count, rank))
            case Called(players):
                self._note_calls({player.seat for player in players})
            case Shown(_, cards):
                self.places.update(dict.fromkeys(cards, frozenset([PILE])))
            case Judged(_, bluffing):
                self._judge(bluffing)
            case Receives(player):
                self._give_pile(player.seat)
            case Taken(cards):
                self._look_through(cards)

    @property
    def claim(self) -> int:
        """How many cards the current player has just laid."""
        return self.pile[-1].count

    @property
    def height(self) -> int:
        """How many cards lie on the pile."""
        return sum(claim.count for claim in self.pile)

    @property
    def going_out(self) -> bool:
        """Has the current player no cards left?"""
        return not self.counts[self.current]

    @property
    def honest(self) -> Cards:
        """Return what I hold of the rank."""
        return of_rank(self.hand, self.rank)

    @property
    def needed_last(self) -> Cards:
        """Return my hand, first what it takes longest until I can lay it honestly."""
        return needed_last(self.hand, self.rank, len(self.seats))

    @property
    def impossible(self) -> bool:
        """Is the claim false for certain: more than the current player can have?"""
        ranked = (self.places[self.rank + suit] for suit in SUITS)
        return self.claim > sum(self.current in places for places in ranked)

    def _hold(self, cards: Cards) -> None:
        self.hand = cards
        self.places.update(dict.fromkeys(cards, frozenset([self.me])))

    def _put(self, claim: Claim) -> None:
        """Take note of a claim.

        A single card that anybody could see to be a lie shows that its player had no
        other way, and says nothing of those that could be true.
        """
        self.counts[claim.seat] -= claim.count
        self.pile.append(claim)
        claim.settled = claim.count == 1 and self.impossible

    def _note_calls(self, callers: set[Seat]) -> None:
        self._called = bool(callers)
        for seat, record in self.records.items():
            if seat != self.current:
                record.note_call(self.going_out, seat in callers)
        if callers:
            return  # the cards will be shown
        if self.current == self.me:
            self.places.update(dict.fromkeys(self.laid, frozenset([PILE])))
        else:
            self._spread(self.current, PILE)

    def _judge(self, bluffing: bool) -> None:
        self._settle(self.pile[-1], bluffing)
        if bluffing and self._called:
            self._give_pile(self.current)

    def _look_through(self, cards: Cards) -> None:
        """See who had lied, in the pile that is mine now, the latest play first."""
        for claim in reversed(self._taken):
            laid, cards = cards[: claim.count], cards[claim.count :]
            self._settle(claim, of_rank(laid, claim.rank) != laid)

    def _settle(self, claim: Claim, bluffing: bool) -> None:
        if not claim.settled:
            claim.settled = True
            self.records[claim.seat].note_claim(claim.count, bluffing)

    def _give_pile(self, taker: Seat) -> None:
        self._taken, self.pile = self.pile, []
        self._spread(PILE, taker)
        self._leave(PILE)

    def _spread(self, source: int, to: int) -> None:
        """Cards of one place may have gone to another, unseen."""
        for card, places in self.places.items():
            if source in places:
                self.places[card] = places | {to}

    def _leave(self, place: int) -> None:
        """No card is there any more, unless it is seen there again."""
        for card, places in self.places.items():
            if place in places:
                self.places[card] = places - {place}
