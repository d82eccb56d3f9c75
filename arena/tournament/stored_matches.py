"""Stored matches of a tournament as a table, for Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.tables import Column, DataTable, ResultTable
from arena.tournament.match_record import MatchRecord

MATCHES = (
    Column("match"), Column("players", is_text=True, may_wrap=True), Column("places"),
    Column("scores"), Column("outcome", is_text=True),
    Column("verdicts", is_text=True, may_wrap=True),
)  # fmt: skip


class Matches(ResultTable[MatchRecord]):
    """Matches of a tournament; a data frame has a row for each seat of each match."""

    def to_table(self) -> DataTable:
        """Return the table for people."""
        return DataTable(MATCHES, [[*_format_cells(match)] for match in self])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each seat of each match, as `arena export` does."""
        from arena.tournament.exported_results import build_rows  # which imports numpy

        return [*build_rows(self)]


def _format_cells(match: MatchRecord) -> Iterator[str]:
    yield match.match
    yield ", ".join(seat.name for seat in match.seats)
    yield " ".join("-" if seat.place is None else str(seat.place) for seat in match.seats)
    yield " ".join("-" if seat.score is None else f"{seat.score:g}" for seat in match.seats)
    yield f"{match.outcome} {match.detail}".strip()
    yield ", ".join(f"{seat.name} {seat.verdict}" for seat in match.seats if seat.verdict)
