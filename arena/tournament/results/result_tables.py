"""Standings and the results of pairs as tables for Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import asdict

from arena.tables import DataTable, ResultTable
from arena.tournament.results import charts, standings_tables
from arena.tournament.results.standings import Standing
from arena.tournament.results.standings_tables import PairResult
from arena.tournament.results.summary import Summary


class Standings(ResultTable[Standing]):
    """The standings of all versions of all entrants, the best first.

    A notebook and a terminal show it as a table. A data frame has the columns of
    `arena standings --format csv`: `low` and `high` are the ends of the interval of `rating`, and
    `verdicts` is their number.

    Attributes:
        game: the name of the game.
        matches: the number of matches without void ones.
        level: of the intervals, such as 0.95.
        unit: of the ratings, such as `Elo points above the mean`.
    """

    def __init__(
        self, rows: Sequence[Standing], game: str, matches: int, level: float, unit: str
    ) -> None:
        super().__init__(rows)
        self.game, self.matches, self.level, self.unit = game, matches, level, unit

    def to_table(self) -> DataTable:
        """Return the table for people."""
        return standings_tables.build_standings_table(self, standings_tables.MIN_PICTURE_WIDTH)

    def to_record(self, row: Standing) -> dict[str, Any]:
        """Return a row for programs."""
        return row.to_record()

    def svg(self) -> str:
        """Return a chart of the ratings with their intervals, as the text of an SVG file."""
        return charts.render_ratings(self, self.game, self.matches, self.level, self.unit)


class HeadToHeadResults(ResultTable[PairResult]):
    """The results of each ordered pair of entrants that met, the best entrant's first."""

    def __init__(self, rows: Sequence[PairResult], table: DataTable) -> None:
        super().__init__(rows)
        self._table = table

    @classmethod
    def of(cls, summary: Summary) -> HeadToHeadResults:
        """Return the results of a summary."""
        rows = [*standings_tables.list_pairs(summary)]
        return cls(rows, standings_tables.build_duels_table(summary))

    def to_table(self) -> DataTable:
        """Return the table for people: a row and a column for each entrant, in per cent."""
        return self._table

    def to_record(self, row: PairResult) -> dict[str, Any]:
        """Return a row for programs."""
        return asdict(row)
