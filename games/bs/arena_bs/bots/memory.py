"""What a player at the table can know from what it was told."""

from __future__ import annotations

from typing import Any

from arena import Seat
from attrs import define, field

from arena_bs.cards import DECK, RANKS, Card, Cards, of_rank
from arena_bs.messages import Called, Hand, Judged, Played, Receives, Shown, Turn

PILE = -1
"""A place where cards can be, beside the seats."""

Places = frozenset[int]


@define
class Record:
    """What a seat has done so far, as far as it came to light."""

    tested: int = 0  # its claims that turned out true or false
    bluffs: int = 0  # of these the false ones
    heard: int = 0  # claims of others which it might have called
    calls: int = 0  # of these the ones it called


@define
class Memory:
    """One seat's picture of the table, kept up to date by what the seat hears.

    `places` says of each card all the places where it can be.
    """

    me: Seat
    seats: range
    hand: Cards = ()
    laid: Cards = ()  # my own last play
    current: Seat = -1
    rank: str = RANKS[0]
    claim: int = 0  # how many cards the current player has laid
    pile: int = 0  # how many cards lie there, with those just laid
    counts: dict[Seat, int] = field(factory=dict)
    places: dict[Card, Places] = field(init=False)
    records: dict[Seat, Record] = field(init=False)
    _called: bool = False

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
                self.current, self.rank, self.claim = players[0][0].seat, rank, 0
            case Hand(cards):
                self._hold(cards)
            case Played(player, count):
                self.claim = count
                self.counts[player.seat] -= count
                self.pile += count
            case Called(players):
                self._note_calls({player.seat for player in players})
            case Shown(_, cards):
                self.places.update(dict.fromkeys(cards, frozenset([PILE])))
            case Judged(player, bluffing):
                self._judge(player.seat, bluffing)
            case Receives(player):
                self._give_pile(player.seat)

    def _hold(self, cards: Cards) -> None:
        self.hand = cards
        mine = frozenset([self.me])
        for card, places in self.places.items():
            if self.me in places:
                self.places[card] = places - mine
        self.places.update(dict.fromkeys(cards, mine))

    def _note_calls(self, callers: set[Seat]) -> None:
        self._called = bool(callers)
        for seat, record in self.records.items():
            record.heard += seat != self.current
            record.calls += seat in callers
        if callers:
            return  # the cards will be shown
        if self.current == self.me:
            self.places.update(dict.fromkeys(self.laid, frozenset([PILE])))
        else:
            self._spread(self.current, PILE)

    def _judge(self, seat: Seat, bluffing: bool) -> None:
        record = self.records[seat]
        record.tested += 1
        record.bluffs += bluffing
        if self._called and bluffing:
            self._give_pile(seat)

    def _give_pile(self, taker: Seat) -> None:
        self._spread(PILE, taker)
        for card, places in self.places.items():
            if PILE in places:
                self.places[card] = places - {PILE}
        self.counts[taker] += self.pile
        self.pile = 0

    def _spread(self, source: int, to: int) -> None:
        """Cards of one place may have gone to another, unseen."""
        for card, places in self.places.items():
            if source in places:
                self.places[card] = places | {to}

    @property
    def honest(self) -> Cards:
        """Give what I hold of the rank."""
        return of_rank(self.hand, self.rank)

    @property
    def possible(self) -> list[Places]:
        """Give the places of those cards of the rank that the current player can have."""
        ranked = (self.places[self.rank + suit] for suit in "SCHD")
        return [places for places in ranked if self.current in places]

    @property
    def impossible(self) -> bool:
        """Is the claim false for certain: more than the current player can have?"""
        return self.claim > len(self.possible)

    @property
    def needed_last(self) -> Cards:
        """Give my hand, first what it takes longest until I can lay it honestly."""
        return tuple(sorted(self.hand, key=self._turns_until, reverse=True))

    def _turns_until(self, card: Card) -> int:
        """Count my turns from this one until the card's rank is mine; 13 stands for never."""
        steps = RANKS.index(card[0]) - RANKS.index(self.rank)
        turns = range(len(RANKS))
        reached = (turn for turn in turns if (turn * len(self.seats) - steps) % len(RANKS) == 0)
        return next(reached, len(RANKS))
