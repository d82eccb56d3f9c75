"""Queries that read millions of results as columns for the ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from arena.tournament.models.result_columns import Results
from arena.tournament.models.schedule import Id
from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.schema import seats

CHUNK_DEALS = 10_000  # deals
ROW = np.dtype([
    ("deal", np.int32), ("seat", np.int16), ("entrant", np.int32),
    ("place", np.int16), ("score", np.float64),
])  # fmt: skip
Rows = NDArray[np.void]
NOT_CHOSEN = -2


class ResultQueries(EntrantStore):
    """Queries for results."""

    def load_results(self, chosen: Iterable[Id] | None = None) -> Results:
        """Return all matches with results, or only those between the given entrants.

        Takes 25 bytes of memory per seat in addition to the result.
        """
        numbers = self._select_numbers(chosen)
        rows = np.concatenate([np.empty(0, ROW), *self._read_chunks()])
        entrants = tuple(self.find_entrant(number) for number in numbers)
        return _build_results(rows, np.array(numbers, np.int64), entrants)

    def _select_numbers(self, chosen: Iterable[Id] | None) -> list[int]:
        """Return the numbers of the chosen entrants, in the order of entry."""
        if chosen is None:
            return [self.find_number(entrant) for entrant in self.ids]
        return sorted({self.find_number(entrant) for entrant in chosen})

    def _read_chunks(self) -> Iterator[Rows]:
        """Read the seats of all matches that have a result, in the order of keys."""
        some = select(*(seats.c[name] for name in ROW.names or ()))
        some = some.where(seats.c.place.is_not(None))
        some = some.order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
        with self.begin_read() as connection:
            last = connection.scalar(select(func.max(seats.c.deal)))
            for start in range(0, 0 if last is None else last + 1, CHUNK_DEALS):
                these = some.where(seats.c.deal.between(start, start + CHUNK_DEALS - 1))
                cursor = connection.execute(these).cursor  # SQLAlchemy's own rows are slower
                assert cursor
                yield np.fromiter(cursor.fetchall(), ROW)


def _build_results(rows: Rows, numbers: NDArray[np.int64], entrants: tuple[Id, ...]) -> Results:
    """Combine the rows of seats into one row per match; seat 0 starts a match."""
    first = rows["seat"] == 0
    match, seat = np.cumsum(first) - 1, rows["seat"]
    shape = (int(first.sum()), int(seat.max(initial=-1)) + 1)
    index = np.full(numbers.max(initial=0) + 1, NOT_CHOSEN)
    index[numbers] = np.arange(len(numbers))
    sat, places, scores = np.full(shape, -1), np.zeros(shape, np.int64), np.full(shape, np.nan)
    known = rows["entrant"] < len(index)
    sat[match, seat] = np.where(known, index[np.where(known, rows["entrant"], 0)], NOT_CHOSEN)
    places[match, seat] = rows["place"]
    scores[match, seat] = rows["score"]
    counts = (sat != NOT_CHOSEN).all(axis=1)  # all seats have chosen entrants
    deal = rows["deal"][first].astype(np.int64)
    return Results(entrants, deal[counts], sat[counts], places[counts], scores[counts])
