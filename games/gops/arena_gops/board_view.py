"""GOPS as zones: the prize, the bids, the hands, and the rounds played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import AnswerEvent, Greeting, Seat, Zone, ZoneKind, join_words
from arena_gops.card_names import FACES, FRENCH_CARDS
from arena_gops.phrases import format_points_with_unit
from arena_gops.rules import Bids, Prize, without
from arena_gops.scoreboard import Scoreboard

PRIZES, OWN, OTHER = "D", "C", "S"


class GopsBoardView:
    """The zones of GOPS as one viewer sees them: only bids that are not shown yet are hidden.

    An event changes some of the zones; the others are not drawn again.
    """

    _board: Scoreboard

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._seat, self._first = names, seat, seat or 0
        self._sealed: dict[Seat, int] = {}  # bids that this viewer knows before they are shown
        self._zones: dict[str, Zone] = {}

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the prize, the bids, the viewer's hand, the rounds."""
        return self._zones

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case AnswerEvent(seat, _, card):
                self._sealed[seat] = card
                self._draw_hand(seat)
                self._draw_bids()
            case Prize():
                self._board.hear(event)
                self._draw_prize()
                self._draw_bids()
                self._draw_prizes()
            case Bids():
                self._sealed = {}
                self._board.hear(event)
                self._draw_prize()
                self._draw_bids()
                for seat in range(len(self._names)):
                    self._draw_hand(seat)
                    self._draw_past(seat)
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
                self._draw_all()

    def _draw_all(self) -> None:
        """Draw all zones in their fixed order."""
        seats = range(len(self._names))
        for seat in (*seats[self._first + 1 :], *seats[: self._first]):
            self._draw_hand(seat)
        self._draw_prize()
        self._draw_bids()
        self._draw_hand(self._first)
        self._draw_prizes()
        for seat in seats:
            self._draw_past(seat)

    def _suit(self, suit: str) -> str:
        """Return the suit in which cards are drawn, if they fit a French suit."""
        return suit if self._board.variant.cards <= FRENCH_CARDS else ""

    def _suit_of(self, seat: Seat) -> str:
        """Return the suit of a seat's cards: the viewer's own one, or that of all others."""
        return self._suit(OWN if seat == self._first else OTHER)

    def _draw_hand(self, seat: Seat) -> None:
        hand, sealed = self._board.hands[seat], self._sealed.get(seat)
        self._zones[f"hand{seat}"] = Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=tuple(hand if sealed is None else without(hand, sealed)),
            suit=self._suit_of(seat),
            text=format_points_with_unit(self._board.scores[seat]),
        )

    def _draw_prize(self) -> None:
        board = self._board
        up = len(board.prizes) > len(board.bids)
        self._zones["prize"] = Zone(
            kind=ZoneKind.TABLE,
            title=f"Prize, round {board.round} of {board.variant.cards}",
            cards=(board.prize,) if up else (),
            suit=self._suit(PRIZES),
            hidden=board.variant.cards - len(board.prizes),
            text=f"{format_points_with_unit(board.carried)} carried over" if board.carried else "",
        )

    def _draw_bids(self) -> None:
        """Draw the bids that this viewer knows of the current round, or else the last round's."""
        board, open_ = self._board, len(self._board.prizes) > len(self._board.bids)
        last = dict(enumerate(board.bids[-1])) if board.bids and not open_ else {}
        bids = self._sealed or last
        won = [self._names[seat] for seat in board.takers] if last and not self._sealed else []
        self._zones["bids"] = Zone(
            kind=ZoneKind.TABLE,
            title="Bids",
            cards=tuple(self._face(seat, card) for seat, card in bids.items()),
            seats=tuple(bids),
            text=f"{join_words(won)} won" if won else "",
            won=tuple(at for at, seat in enumerate(bids) if won and seat in board.takers),
        )

    def _face(self, seat: Seat, card: int) -> str | int:
        """Return the face of a card that is shown with other suits."""
        suit = self._suit_of(seat)
        return FACES[card] + suit if suit else card

    def _draw_prizes(self) -> None:
        self._draw_row("prizes", "Prizes", self._suit(PRIZES), self._board.prizes)

    def _draw_past(self, seat: Seat) -> None:
        bids = [bids[seat] for bids in self._board.bids]
        title = "Your bids" if seat == self._seat else f"Bids of {self._names[seat]}"
        won = [at for at, takers in enumerate(self._board.winners_by_round) if seat in takers]
        self._draw_row(f"row{seat}", title, self._suit_of(seat), bids, seat, won)

    def _draw_row(  # noqa: PLR0917  # a zone has so many parts
        self,
        key: str,
        title: str,
        suit: str,
        cards: Sequence[int],
        of: Seat | None = None,
        won: Sequence[int] = (),
    ) -> None:
        self._zones[key] = Zone(
            kind=ZoneKind.ROW, title=title, of=of, cards=tuple(cards), suit=suit, won=tuple(won)
        )
