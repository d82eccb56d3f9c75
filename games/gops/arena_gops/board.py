"""GOPS as zones: the prize, the bids, what everybody holds, and the rounds behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from arena import Greeting, Kind, Said, Seat, Zone, spoken_list
from arena_gops.faces import FACES, FRENCH
from arena_gops.rules import Bids, Prize, without
from arena_gops.scoreboard import Scoreboard
from arena_gops.words import worth

PRIZES, OWN, OTHER = "D", "C", "S"
PAIR = 2  # players, who have a suit each

drawn = lru_cache(maxsize=1000)(Zone)
"""A zone that may be there already: each step of a replay draws all, and little has changed."""


class GopsBoard:
    """What lies where: hands are no secret, only the bid that is not shown yet is."""

    _board: Scoreboard

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._first = names, seat or 0
        self._sealed: dict[Seat, int] = {}  # bids that this eye knows of before they are shown

    def tell(self, event: Any) -> None:
        """Take note of what happens."""
        match event:
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
            case Said(seat, _, card):
                self._sealed[seat] = card
            case Prize() | Bids():
                self._sealed = {}
                self._board.hear(event)

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the prize, the bids, the own hand, the rounds."""
        seats = range(len(self._names))
        order = [*seats[self._first + 1 :], *seats[: self._first]]
        return {
            **{f"hand{seat}": self._hand(seat) for seat in order},
            "prize": self._prize,
            "bids": self._bids,
            f"hand{self._first}": self._hand(self._first),
            "prizes": self._row("Prizes", PRIZES, self._board.prizes),
            **{f"row{seat}": self._past(seat) for seat in seats},
        }

    def _suit(self, suit: str) -> str:
        """Return the suit in which cards are drawn, if they are those of a French one."""
        return suit if self._board.variant.cards <= FRENCH else ""

    def _suit_of(self, seat: Seat) -> str:
        if len(self._names) > PAIR:
            return ""
        return self._suit(OWN if seat == self._first else OTHER)

    def _hand(self, seat: Seat) -> Zone:
        hand, sealed = self._board.hands[seat], self._sealed.get(seat)
        cards = tuple(hand if sealed is None else without(hand, sealed))
        text = worth(self._board.scores[seat])
        suit = self._suit_of(seat)
        name = self._names[seat]
        return drawn(kind=Kind.HAND, title=name, of=seat, cards=cards, suit=suit, text=text)

    @property
    def _prize(self) -> Zone:
        board = self._board
        up = len(board.prizes) > len(board.bids)
        return Zone(
            kind=Kind.TABLE,
            title=f"Prize, round {board.round} of {board.variant.cards}",
            cards=(board.prize,) if up else (),
            suit=self._suit(PRIZES),
            hidden=board.variant.cards - len(board.prizes),
            text=f"{worth(board.carried)} carried over" if board.carried else "",
        )

    @property
    def _bids(self) -> Zone:
        """Return the bids that this eye knows in the round that is played, or else the last."""
        board, open_ = self._board, len(self._board.prizes) > len(self._board.bids)
        last = dict(enumerate(board.bids[-1])) if board.bids and not open_ else {}
        bids = self._sealed or last
        won = [self._names[seat] for seat in board.takers] if last and not self._sealed else []
        return Zone(
            kind=Kind.TABLE,
            title="Bids",
            cards=tuple(self._face(seat, card) for seat, card in bids.items()),
            seats=tuple(bids),
            text=f"{spoken_list(won)} won" if won else "",
        )

    def _face(self, seat: Seat, card: int) -> str | int:
        """Return a card by itself, among those of other suits."""
        suit = self._suit_of(seat)
        return FACES.get(card, str(card)) + suit if suit else card

    def _past(self, seat: Seat) -> Zone:
        bids = [bids[seat] for bids in self._board.bids]
        return self._row(f"Bids of {self._names[seat]}", self._suit_of(seat), bids, seat)

    def _row(self, title: str, suit: str, cards: Sequence[int], of: Seat | None = None) -> Zone:
        suit = suit and self._suit(suit)
        return drawn(kind=Kind.ROW, title=title, of=of, cards=tuple(cards), suit=suit)
