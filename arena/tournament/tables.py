"""What a tournament has come to, as tables for Python: rows, and what shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from arena.tournament import chart, ranking
from arena.tournament.export import rows_of
from arena.tournament.standings import Standing
from arena.wires import Column, Rows, Sheet

MATCHES = (
    Column("match"), Column("players", words=True, wraps=True), Column("places"),
    Column("scores"), Column("outcome", words=True), Column("verdicts", words=True, wraps=True),
)  # fmt: skip


class Standings(Rows[Standing]):
    """How everybody stands, in every version, the best first.

    A notebook and a terminal show it as a table. In a data frame `mean_score_low` and the like
    are ends of intervals, and `verdicts` is how many they are.

    Attributes:
        game: what is played.
        matches: how many count.
        level: of the intervals, such as 0.95.
    """

    def __init__(self, rows: Sequence[Standing], game: str, matches: int, level: float) -> None:
        super().__init__(rows)
        self.game, self.matches, self.level = game, matches, level

    def sheet(self) -> Sheet:
        """Return the table for people."""
        return ranking.sheet(self, ranking.WIDE)

    def flat(self, row: Standing) -> dict[str, Any]:
        """Return a row for programs."""
        return {**ranking.flat(row)}

    def svg(self) -> str:
        """Return the ratings with their intervals as a picture, as text of an SVG file."""
        return chart.ratings(self, self.game, self.matches, self.level)


@frozen
class StoredSeat:
    """Somebody in a stored match."""

    name: str  #: what it is called
    version: str  #: of what it is made of, as a hash
    place: int | None  #: 1 is the best; None in a void match
    score: float | None  #: in the game's points
    seconds: float  #: that all its answers took
    verdict: str | None  #: its kind


@frozen
class StoredMatch:
    """A match that a tournament has stored."""

    match: str  #: its key: the deal, a full stop, the rotation
    stage: str  #: of the tournament, as its format calls it
    outcome: str  #: how it ended
    rounds: int  #: played to their end
    seconds: float  #: that it took as a whole
    when: str  #: it was stored, by ISO 8601
    detail: str  #: why it is void
    seats: tuple[StoredSeat, ...]  #: who sat there, in seat order
    packed: Mapping[str, Any]  #: the same as JSON, as `arena matches --json` prints it

    @classmethod
    def of(cls, packed: Mapping[str, Any]) -> StoredMatch:
        """Read a match as the store has it."""
        seats = tuple(
            StoredSeat(
                one["name"], one["version"], one["place"], one["score"], one["seconds"],
                one["verdict"] and one["verdict"]["kind"],
            )
            for one in packed["seats"]
        )  # fmt: skip
        names = ("match", "stage", "outcome", "rounds", "seconds", "when", "detail")
        return cls(**{name: packed[name] for name in names}, seats=seats, packed=packed)


class Matches(Rows[StoredMatch]):
    """Matches of a tournament; a data frame of them has a row for each seat of each."""

    def sheet(self) -> Sheet:
        """Return the table for people."""
        return Sheet(MATCHES, [[*_cells(one)] for one in self])

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each seat of each match, as `arena export` does."""
        return [*rows_of(one.packed for one in self)]


def _cells(one: StoredMatch) -> Iterator[str]:
    yield one.match
    yield ", ".join(seat.name for seat in one.seats)
    yield " ".join("-" if seat.place is None else str(seat.place) for seat in one.seats)
    yield " ".join("-" if seat.score is None else f"{seat.score:g}" for seat in one.seats)
    yield f"{one.outcome} {one.detail}".strip()
    yield ", ".join(f"{seat.name} {seat.verdict}" for seat in one.seats if seat.verdict)
