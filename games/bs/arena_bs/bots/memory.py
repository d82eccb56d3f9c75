"""A player's knowledge of the table, from the events it received."""

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
"""The number of the pile as a place of cards; seats are the other places."""

Places = frozenset[int]


@define
class Claim:
    """A play of a seat: the number of cards and the rank claimed."""

    seat: Seat
    count: int
    rank: str
    recorded: bool = False  # in the player's record already, or not meant for it


@define
class Memory:
    """One seat's knowledge of the table, updated by the events that the seat receives.

    `places` maps each card to all the places where it can be.
    """

    me: Seat
    seats: range
    hand: Cards = ()
    laid: Cards = ()  # this seat's last play
    current: Seat = 0
    rank: str = RANKS[0]
    pile: list[Claim] = field(factory=list)  # the latest play last
    counts: dict[Seat, int] = field(factory=dict)
    places: dict[Card, Places] = field(init=False)
    records: dict[Seat, PlayerRecord] = field(init=False)
    _called: bool = False
    _taken: list[Claim] = field(factory=list)  # the pile that somebody has just taken

    @places.default
    def _anywhere(self) -> dict[Card, Places]:
        return dict.fromkeys(DECK, frozenset(self.seats) - {self.me})

    @records.default
    def _no_records(self) -> dict[Seat, PlayerRecord]:
        return {seat: PlayerRecord() for seat in self.seats}

    def hear(self, event: Any) -> None:
        """Update the memory after an event."""
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
        """The number of cards that the current player has just laid."""
        return self.pile[-1].count

    @property
    def pile_height(self) -> int:
        """The number of cards on the pile."""
        return sum(claim.count for claim in self.pile)

    @property
    def is_going_out(self) -> bool:
        """Whether the current player has no cards left."""
        return not self.counts[self.current]

    @property
    def cards_of_rank(self) -> Cards:
        """The cards of the current rank in this seat's hand."""
        return filter_rank(self.hand, self.rank)

    @property
    def hand_by_need(self) -> Cards:
        """The hand sorted by the turns until each card can be laid honestly, most first."""
        return sort_by_need(self.hand, self.rank, len(self.seats))

    @property
    def is_impossible(self) -> bool:
        """Whether the claim is certainly false: more cards than the current player can have."""
        ranked = (self.places[self.rank + suit] for suit in SUITS)
        return self.claim > sum(self.current in places for places in ranked)

    def _set_hand(self, cards: Cards) -> None:
        self.hand = cards
        self.places.update(dict.fromkeys(cards, frozenset([self.me])))

    def _add_claim(self, claim: Claim) -> None:
        """Add a claim to the pile.

        A single card that everybody can see to be a lie was forced, so it is left out of the
        player's record.
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
            return  # the cards are shown next
        if self.current == self.me:
            self.places.update(dict.fromkeys(self.laid, frozenset([PILE])))
        else:
            self._spread(self.current, PILE)

    def _judge(self, bluffing: bool) -> None:
        self._settle(self.pile[-1], bluffing)
        if bluffing and self._called:
            self._give_pile(self.current)

    def _review_pile(self, cards: Cards) -> None:
        """Record which claims were lies, from the pile that this seat took, latest play first."""
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
        """Record that hidden cards may have moved from one place to another."""
        for card, places in self.places.items():
            if source in places:
                self.places[card] = places | {to}

    def _clear_place(self, place: int) -> None:
        """Record that a place holds no hidden cards any more."""
        for card, places in self.places.items():
            if place in places:
                self.places[card] = places - {place}
