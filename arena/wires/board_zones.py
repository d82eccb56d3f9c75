"""Boards: the zones of a table, which web pages draw.

A board is to zones what a narrator is to lines. At a seat it is told what the seat is told, and the
seat's own answers, each as an `AnswerEvent`. For a spectator (seat None) it is told what is
announced, and, where everything may be seen, the `PrivateEvent`s and `AnswerEvent`s of all seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from attrs import define, evolve, field, fields, frozen

from arena.rules import GameError, Question, Seat, abbreviate
from arena.wires.codecs import dump
from arena.wires.narrator import AnswerEvent
from arena.wires.printable import to_printable

Card = str | int
"""Rank and suit (`TC`, `10C`), or a number, as the options of a question name the card."""


class ZoneKind(StrEnum):
    """The kind of a zone, which decides how it is drawn."""

    HAND = "hand"  #: cards that a seat holds, seen or not
    TABLE = "table"  #: cards that lie in the middle, perhaps each before a seat
    PILE = "pile"  #: cards upon each other
    ROW = "row"  #: cards of the past, small, in order
    TEXT = "text"  #: words


@frozen(kw_only=True)
class Zone:
    """A zone of the table: visible cards, the number of hidden cards, and text."""

    kind: ZoneKind  #: what it is
    title: str  #: what it is called
    of: Seat | None = None  #: whose place it is
    cards: tuple[Card, ...] = ()  #: that are seen
    hidden: int = 0  #: cards that lie here face down
    #: who laid each of the cards, where that matters; empty before the first
    seats: tuple[Seat, ...] | None = None
    suit: str = ""  #: of cards that are numbers up to 13: 1, 11, 12, 13 are A, J, Q, K then
    pack: str = ""  #: `italian`: the suits are Coppe, Denari, Spade and Bastoni
    text: str = ""  #: a line beside the cards
    act: str = ""  #: what the owner of a hand did last; shown until a table has another title
    turn: bool = False  #: whether it is, as all players know, the turn of a hand's owner
    chips: int = 0  #: that lie here; the text says how many, and of what
    won: tuple[int, ...] = ()  #: places, among `cards`, of those that won something
    lost: tuple[int, ...] = ()  #: places, among `cards`, of those that are out of the game
    received: tuple[int, ...] = ()  #: places, among `cards`, of those that came to a hand just now
    rows: tuple[tuple[str, ...], ...] = ()  #: of a table of words, its headings first
    #: who is drawn above the word on each card: a king, queen, jack, hood or envoy
    figures: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Raise GameError for a text in place of a list, whose characters would be cards."""
        for name in ("cards", "seats", "won", "lost", "received", "rows", "figures"):
            value = getattr(self, name)
            if not (isinstance(value, tuple | list) or (name == "seats" and value is None)):
                raise GameError(
                    f"Zone({name}=...) is {abbreviate(value)}; write a tuple, such as"
                    f" {name}=({abbreviate(value)},)"
                )

    @property
    def json(self) -> dict[str, Any]:
        """Return the zone as JSON, without default values and with printable text."""
        packed = {
            field.name: getattr(self, field.name)
            for field in fields(Zone)
            if getattr(self, field.name) != field.default
        }
        texts = {key: to_printable(value) for key, value in packed.items() if type(value) is str}
        rows = [[to_printable(cell) for cell in row] for row in self.rows]
        return {**packed, **texts, **({"rows": rows} if rows else {}), "kind": str(self.kind)}


class Board(Protocol):
    """Keeps the zones of a match, as one viewer sees them."""

    def tell(self, event: Any) -> None:
        """Update the zones for an event; the greeting comes first."""

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones by key, in drawing order."""


Zones = Mapping[str, Zone]


def read_zones(board: Board) -> Zones:
    """Return a board's zones as they stand now; raise GameError where they are something else."""
    zones: Any = board.zones
    where = f"{type(board).__name__}.zones"
    if not isinstance(zones, Mapping):
        raise GameError(
            f"{where} is a {type(zones).__name__}; return the zones by their keys, such as"
            ' {"pile": Zone(...)}'
        )
    for key, zone in zones.items():
        if not isinstance(key, str):
            raise GameError(f"{where} has the key {abbreviate(key)}; use texts as keys")
        if not isinstance(zone, Zone):
            raise GameError(f"{where}[{key!r}] is {abbreviate(zone)}; make it a Zone(...)")
    return dict(zones)


def find_changed_zones(before: Zones, after: Zones) -> dict[str, Zone | None]:
    """Return the zones that have changed; None for those that were removed."""
    same = before.items()
    new = dict([pair for pair in after.items() if pair not in same])
    return {**new, **dict.fromkeys([key for key in before if key not in after])}


@define
class ActFilter:
    """Empties what players did in an earlier round, which would stand beside new cards as news.

    The title of a table names the round or turn, so an act that was there before the title changed
    is old, until the board has another one for this hand.
    """

    _before: Zones = field(init=False, factory=dict)
    _old: frozenset[str] = field(init=False, default=frozenset())  #: keys of hands

    def update(self, zones: Zones) -> Zones:
        """Return the zones as they stand now, without the acts that are old."""
        before, self._before = self._before, zones
        if any(
            zone.kind is ZoneKind.TABLE and key in before and before[key].title != zone.title
            for key, zone in zones.items()
        ):
            self._old = frozenset(zones)
        new = [key for key, zone in zones.items() if key in before and zone.act != before[key].act]
        self._old -= {*new}
        return {
            key: evolve(zone, act="") if zone.act and key in self._old else zone
            for key, zone in zones.items()
        }


class BoardLineCodec:
    """A board as a codec for the contract: its lines are the zones that changed."""

    def __init__(self, board: Board, seat: Seat) -> None:
        self._board, self._seat = board, seat
        self._shown: Zones = {}

    def tell(self, event: Any) -> Iterable[str]:
        """Return a line for each zone that the event changed."""
        self._board.tell(event)
        before, self._shown = self._shown, read_zones(self._board)
        new = find_changed_zones(before, self._shown)
        return [dump({key: zone and zone.json}) for key, zone in new.items()]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return nothing: a question changes no zone."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the line as it is: nobody answers on a board."""
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the lines of the zones that the seat's answer changed."""
        return "\n".join(self.tell(AnswerEvent(self._seat, question, answer)))
