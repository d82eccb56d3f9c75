"""BS as zones: the hands (a player sees its own), the pile, and the current claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import AnswerEvent, Greeting, PrivateEvent, Seat, Zone, ZoneKind, join_words
from arena.cards import Cards, remove_cards
from arena_bs.messages import (
    Called,
    ChooseCards,
    Hand,
    Judged,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
)
from arena_bs.typed_answers import sort_hand


class BsBoardView:
    """The zones of BS as one viewer sees them: all card counts, and the faces it may know.

    Most events change one or two zones; the others are not drawn again.
    """

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._first = names, seat or 0
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts: dict[Seat, int] = {}
        self._pile = 0  # the number of cards, including the last play
        self._claim: Played | None = None
        self._rank = ""
        self._laid: Cards = ()  # the last play, if this viewer knows it
        self._news = ""
        self._callers: tuple[Player, ...] = ()
        self._zones: dict[str, Zone] = {}

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the pile, the claim, the viewer's hand."""
        return self._zones

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case Turn(players, rank):
                self._set_counts({player.seat: count for player, count in players})
                self._rank, self._claim, self._laid, self._news = rank, None, (), ""
                self._draw_claim()
            case Played(player, count):
                self._claim = event
                self._move_cards(player, count)
                self._draw_claim()
            case Hand(cards) | PrivateEvent(_, Hand(cards)):
                self._set_hand(self._owner_of(event), cards)
            case PileTaken(cards) | PrivateEvent(_, PileTaken(cards)):
                seat = self._owner_of(event)
                self._set_hand(seat, self._known.get(seat, ()) + cards)
            case AnswerEvent(seat, ChooseCards(), cards):
                self._laid = cards
                if seat in self._known:
                    self._set_hand(seat, remove_cards(self._known[seat], cards))
                self._draw_claim()
            case Greeting():
                self._counts = dict.fromkeys(range(event.seats), 0)
                self._draw_all()
            case Called() | Shown() | Judged() | Receives() | Won():
                self._judge(event)
                self._draw_claim()

    def _owner_of(self, event: Any) -> Seat:
        """Return the seat whose cards an event is about."""
        return event.seat if isinstance(event, PrivateEvent) else self._first

    def _judge(self, event: Any) -> None:
        match event:
            case Called(players):
                self._callers = players
                names = join_words([self._names[player.seat] for player in players])
                self._news = f"{names} called BS" if players else "nobody called"
            case Shown(_, cards):
                self._laid = cards
            case Judged(player, bluffing) if self._callers:
                self._news += ": a bluff" if bluffing else ": the truth"
                if bluffing:
                    self._give_pile(player)
            case Judged():
                self._news = "Peanut Butter: it was a bluff, and nobody called"
            case Receives(player):
                self._give_pile(player)
            case Won(player):
                self._news = f"{self._names[player.seat]} has no cards left"

    def _give_pile(self, player: Player) -> None:
        """Move the pile to a player's hand."""
        self._move_cards(player, -self._pile)
        self._news += f"; {self._names[player.seat]} takes the pile"

    def _set_counts(self, counts: dict[Seat, int]) -> None:
        """Set the sizes of the hands; they differ from the known ones only in the first turn."""
        if counts != self._counts:
            self._counts = counts
            self._draw_all()

    def _move_cards(self, player: Player, count: int) -> None:
        """Move a number of cards from a player to the pile, or back if the number is negative."""
        self._counts[player.seat] -= count
        self._pile += count
        self._draw_hand(player.seat)
        self._draw_pile()

    def _set_hand(self, seat: Seat, cards: Cards) -> None:
        """Set the cards of a hand that this viewer sees."""
        self._known[seat] = cards
        self._draw_hand(seat)

    def _draw_all(self) -> None:
        """Draw all zones in their fixed order."""
        seats = range(len(self._names))
        for seat in (*seats[self._first + 1 :], *seats[: self._first]):
            self._draw_hand(seat)
        self._draw_pile()
        self._draw_claim()
        self._draw_hand(self._first)

    def _draw_hand(self, seat: Seat) -> None:
        known = self._known.get(seat, ())
        self._zones[f"hand{seat}"] = Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=sort_hand(known),
            hidden=0 if known else self._counts.get(seat, 0),
        )

    def _draw_pile(self) -> None:
        self._zones["pile"] = Zone(kind=ZoneKind.PILE, title="Pile", hidden=self._pile)

    def _draw_claim(self) -> None:
        """Draw the claim, with its cards if this viewer knows them."""
        claim = self._claim
        if claim is None:
            title = f"Rank {self._rank}" if self._rank else "Claim"
            self._zones["claim"] = Zone(kind=ZoneKind.TABLE, title=title, cards=self._laid)
            return
        self._zones["claim"] = Zone(
            kind=ZoneKind.TABLE,
            title=f"{self._names[claim.player.seat]} says {claim.count} x {claim.rank}",
            cards=self._laid,
            hidden=0 if self._laid else claim.count,
            text=self._news,
        )
