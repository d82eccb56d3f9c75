"""All results of a tournament, as columns for the ratings and as sums for the standings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from arena.tournament.entries import Id
from arena.tournament.ratings.rating_input import Results
from arena.tournament.store.counts import EntrantTotals
from arena.tournament.store.seat_columns import (
    ENTRANT,
    PLACE,
    ResultColumns,
    Rows,
    SeatSums,
    join_results,
    read_rows,
)
from arena.tournament.store.tournament_database import StorePart

CHUNK_DEALS = 10_000
"""How many deals are read at once."""
PACKED_SEAT = (
    f"CAST(entrant AS BIGINT) * {1 << ENTRANT} + place * {1 << PLACE} + seat * 2"
    " + CASE WHEN earlier IS NULL THEN 0 ELSE 1 END"
)
"""A seat as `seat_columns` unpacks it: one number costs less than four to hand over."""
SELECT_SEATS = (
    f"SELECT deal, {PACKED_SEAT}, score, used FROM seats"
    " WHERE place IS NOT NULL AND deal BETWEEN ? AND ? ORDER BY deal, rotation, seat"
)
"""The seats of matches with a result."""


@frozen(eq=False)
class SeatReader(StorePart):
    """Reads the seats of all matches that have a result."""

    def load_results(self, chosen: Iterable[Id] | None = None) -> Results:
        """Return all matches with results, or only those between the given entrants."""
        with self._database.begin_read():
            numbers = self._select_numbers(chosen)
            parts = [ResultColumns.of(rows, numbers) for rows in self._read_chunks()]
            return self._join_results(parts, numbers)

    def load_results_and_totals(self) -> tuple[Results, dict[Id, EntrantTotals]]:
        """Return all results and the totals of all entrants, from one reading of all seats."""
        parts: list[ResultColumns] = []
        with self._database.begin_read():
            numbers, sums = self._select_numbers(None), SeatSums.of(len(self._directory.ids))
            for rows in self._read_chunks():
                sums.add(rows)
                parts.append(ResultColumns.of(rows, numbers))
            return self._join_results(parts, numbers), self._build_totals(sums)

    def _join_results(self, parts: Sequence[ResultColumns], numbers: Sequence[int]) -> Results:
        entrants = tuple(self._directory.find_entrant(number) for number in numbers)
        return join_results(parts, entrants, self._database.settings.partners)

    def _select_numbers(self, chosen: Iterable[Id] | None) -> list[int]:
        """Return the numbers of the chosen entrants, in the order of entry."""
        if chosen is None:
            return [self._directory.find_number(entrant) for entrant in self._directory.ids]
        return sorted({self._directory.find_number(entrant) for entrant in chosen})

    def _read_chunks(self) -> Iterator[Rows]:
        """Read the seats of all matches that have a result, in the order of keys."""
        with self._database.begin_read() as connection:
            last = connection.read_value("SELECT MAX(deal) FROM seats")
            for start in range(0, 0 if last is None else last + 1, CHUNK_DEALS):
                ends = start, start + CHUNK_DEALS - 1
                yield read_rows(connection.execute(SELECT_SEATS, ends))

    def count_totals(self) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, even those without matches, in the order of entry."""
        with self._database.begin_read():
            sums = SeatSums.of(len(self._directory.ids))
            for rows in self._read_chunks():
                sums.add(rows)
            return self._build_totals(sums)

    def _build_totals(self, sums: SeatSums) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, with their verdicts, which few matches have."""
        query = (
            "SELECT entrant, kind, COUNT(*) FROM seats"
            " WHERE place IS NOT NULL AND kind IS NOT NULL GROUP BY entrant, kind ORDER BY kind"
        )
        verdicts: dict[int, dict[str, int]] = {}
        with self._database.begin_read() as connection:
            for number, kind, times in connection.execute(query):
                verdicts.setdefault(number, {})[kind] = times
        return {
            entrant: EntrantTotals(
                sums.count_matches(number),
                verdicts.get(number, {}),
                sums.compute_mean(number),
                float(sums.slowest[number]),
                bool(sums.many_games[number]),
            )
            for entrant, number in self._directory.numbers.items()
        }
