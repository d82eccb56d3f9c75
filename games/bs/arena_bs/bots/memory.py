"""What a player at the table can know from what it was told."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from arena import Seat
from arena.cards import Card, Cards
from arena_bs.bots.hand_plans import sort_by_need
from arena_bs.bots.player_records import PlayerRecord
from arena_bs.cards import DECK, RANKS, SUITS, filter_rank
from arena_bs.messages import Called, Hand, Judged, PileTaken, Played, Receives, Shown, Turn

PILE = -1
"""A place where cards can be, beside the seats."""

Places = frozenset[int]


@define
class Claim:
    """So many cards, laid by this seat as cards of this rank."""

    seat: Seat
    count: int
    rank: str
    recorded: bool = False  # is it on the record, or of no interest to it?


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
    records: dict[Seat, PlayerRecord] = field(init=False)
    _called: bool = False
    _taken: list[Claim] = field(factory=list)  # the pile that somebody has just got

    @places.default
    def _anywhere(self) -> dict[Card, Places]:
        return dict.fromkeys(DECK, frozenset(self.seats) - {self.me})

    @records.default
    def _no_records(self) -> dict[Seat, PlayerRecord]:
        return {seat: PlayerRecord() for seat in self.seats}

    def hear(self, event: Any) -> None:
        """Take note of an event."""
        match event:
            case Turn(players, rank):
                self.counts = {player.seat: count for player, count in players}
                self.current, self.rank = players[0][0].seat, rank
            case Hand(cards):
                self._set_hand(cards)
            case Played(player, count, rank):
                self._add_claim(Claim(player.seat, count, rank))
            case Called(players):
                self._note_calls({player.seat for player in players})
            case Shown(_, cards):
                self.places.update(dict.fromkeys(cards, frozenset([PILE])))
            case Judged(_, bluffing):
                self._judge(bluffing)
            case Receives(player):
                self._give_pile(player.seat)
            case PileTaken(cards):
                self._review_pile(cards)

    @property
    def claim(self) -> int:
        """How many cards the current player has just laid."""
        return self.pile[-1].count

    @property
    def pile_height(self) -> int:
        """How many cards lie on the pile."""
        return sum(claim.count for claim in self.pile)

    @property
    def is_going_out(self) -> bool:
        """Whether the current player has no cards left."""
        return not self.counts[self.current]

    @property
    def cards_of_rank(self) -> Cards:
        """The cards of the rank in its own hand."""
        return filter_rank(self.hand, self.rank)

    @property
    def hand_by_need(self) -> Cards:
        """Return my hand, first what it takes longest until I can lay it honestly."""
        return sort_by_need(self.hand, self.rank, len(self.seats))

    @property
    def is_impossible(self) -> bool:
        """Whether the claim is false for certain: more than the current player can have."""
        ranked = (self.places[self.rank + suit] for suit in SUITS)
        return self.claim > sum(self.current in places for places in ranked)

    def _set_hand(self, cards: Cards) -> None:
        self.hand = cards
        self.places.update(dict.fromkeys(cards, frozenset([self.me])))

    def _add_claim(self, claim: Claim) -> None:
        """Take note of a claim.

        A single card that anybody could see to be a lie shows that its player had no
        other way, and says nothing of those that could be true.
        """
        self.counts[claim.seat] -= claim.count
        self.pile.append(claim)
        claim.recorded = claim.count == 1 and self.is_impossible

    def _note_calls(self, callers: set[Seat]) -> None:
        self._called = bool(callers)
        for seat, record in self.records.items():
            if seat != self.current:
                record.note_call(self.is_going_out, seat in callers)
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

    def _review_pile(self, cards: Cards) -> None:
        """See who had lied, in the pile that is mine now, the latest play first."""
        for claim in reversed(self._taken):
            laid, cards = cards[: claim.count], cards[claim.count :]
            self._settle(claim, filter_rank(laid, claim.rank) != laid)

    def _settle(self, claim: Claim, bluffing: bool) -> None:
        if not claim.recorded:
            claim.recorded = True
            self.records[claim.seat].note_claim(claim.count, bluffing)

    def _give_pile(self, taker: Seat) -> None:
        self._taken, self.pile = self.pile, []
        self._spread(PILE, taker)
        self._clear_place(PILE)

    def _spread(self, source: int, to: int) -> None:
        """Cards of one place may have gone to another, unseen."""
        for card, places in self.places.items():
            if source in places:
                self.places[card] = places | {to}

    def _clear_place(self, place: int) -> None:
        """No card is there any more, unless it is seen there again."""
        for card, places in self.places.items():
            if place in places:
                self.places[card] = places - {place}
