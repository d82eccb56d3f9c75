"""Stored matches of a tournament as a table, for Python."""

from __future__ import annotations

from typing import Any

from arena.tables import Column, DataTable, ResultTable, RowFormat
from arena.tournament.match_record import StoredMatch

COLUMNS: RowFormat[StoredMatch] = (
    (Column("match"), lambda match: match.match),
    (Column("players", is_text=True, may_wrap=True),
     lambda match: ", ".join(seat.name for seat in match.seats)),
    (Column("places"), lambda match: " ".join(
        "-" if seat.place is None else str(seat.place) for seat in match.seats)),
    (Column("scores"), lambda match: " ".join(
        "-" if seat.score is None else f"{seat.score:g}" for seat in match.seats)),
    (Column("outcome", is_text=True), lambda match: f"{match.end} {match.detail}".strip()),
    (Column("verdicts", is_text=True, may_wrap=True), lambda match: ", ".join(
        f"{seat.name} {seat.verdict}" for seat in match.seats if seat.verdict)),
)  # fmt: skip


class Matches(ResultTable[StoredMatch]):
    """Matches of a tournament; a data frame has a row for each seat of each match."""

    def to_table(self) -> DataTable:
        """Return the table for people."""
        return DataTable.of(self, COLUMNS)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each seat of each match, as `arena export` does."""
        from arena.tournament.results.exported_results import build_rows  # which imports numpy

        return [*build_rows(self)]
