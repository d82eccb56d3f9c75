"""Queries of the coordinator: planned matches, results, and matches to play.

Long results are read in pages of deals, so that they take little memory, hold no lock, and include
matches stored meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen
from sqlalchemy import ColumnElement, Select, bindparam, func, select

from arena.rules import End
from arena.tournament.models.records import VoidCause
from arena.tournament.models.schedule import Deal, PastMatches, PlayedMatch
from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.schema import CANCELLED, deals, entrants, matches, seats

PAGE_DEALS = 2000  # deals
_over = (
    select(func.count()).where(matches.c.deal == deals.c.number).correlate(deals).scalar_subquery()
)
_SETTLED = select(_over == deals.c.rotations).where(deals.c.number == bindparam("deal"))

_TIME = select(matches.c.stored).where(matches.c.end != CANCELLED).limit(1)
FIRST_TIME = _TIME.order_by(matches.c.stored)  # by an index, without a scan of all matches
LAST_TIME = _TIME.order_by(matches.c.stored.desc())
_NEWEST = (  # the latest time, and the number of matches stored then
    select(matches.c.stored, func.count())
    .group_by(matches.c.stored)
    .order_by(matches.c.stored.desc())
    .limit(1)
)


def _select_results(first: int, last: int) -> Select[tuple[Any, ...]]:
    """Select the places and scores of these deals, seat by seat, also where there are none."""
    rows = select(matches.c.deal, matches.c.rotation, seats.c.place, seats.c.score)
    rows = rows.select_from(matches.outerjoin(seats)).where(matches.c.deal.between(first, last))
    return rows.order_by(matches.c.deal, matches.c.rotation, seats.c.seat)


@frozen
class MatchCounts:
    """The progress of a tournament, in matches."""

    planned: int
    stored: int  # finished, including void ones
    void: int  # of those that are stored
    cancelled: int  # planned but cancelled; not counted as stored

    @property
    def remaining(self) -> int:
        """The number of planned matches that are still to be played."""
        return self.planned - self.stored - self.cancelled


class ScheduleQueries(EntrantStore):
    """Queries for the plan and its progress."""

    _open_from = 0  # all deals before this one are settled

    def load_past(self) -> PastMatches:
        """Return the counts of all deals so far, without results and cancelled matches."""
        past, cancelled = PastMatches(), self._count_cancelled_matches()
        for page in self._read_deals():
            for deal in page:
                past.count_deal(deal, cancelled.get(deal.number, 0))
        return past

    def _count_cancelled_matches(self) -> dict[int, int]:
        """Return the number of cancelled matches of each deal that has any."""
        some = select(matches.c.deal, func.count()).where(matches.c.end == CANCELLED)
        with self.begin_read() as connection:
            rows = connection.execute(some.group_by(matches.c.deal))
            return dict(rows.all())

    def list_results(self, start: int = 0) -> tuple[PlayedMatch, ...]:
        """Return all settled matches in the order of keys, cancelled ones as void.

        Deals before `start` are left out.
        """
        return tuple(
            played for page in self._read_deals(start=start) for played in self._read_results(page)
        )

    def list_todo(self) -> Iterator[tuple[Deal, int]]:
        """Yield the planned matches without a result, in the order of keys."""
        start = self._count_deals()
        for page in self._read_deals(_over < deals.c.rotations, self._open_from):
            start = min(start, page[0].number)
            self._open_from = start
            over = self._find_over(page)
            for deal in page:
                keys = ((deal.number, rotation) for rotation in range(deal.rotations))
                yield from (
                    (deal, rotation) for number, rotation in keys if (number, rotation) not in over
                )
        self._open_from = start

    def find_deal(self, number: int) -> Deal | None:
        """Return a planned deal, or None."""
        with self.begin_read() as connection:
            row = connection.execute(select(deals).where(deals.c.number == number)).one_or_none()
        return None if row is None else self._parse_deal(row)

    def list_void(self, causes: Collection[VoidCause]) -> list[tuple[Deal, int]]:
        """Return the void matches with these causes, in the order of keys."""
        some = select(deals, matches.c.rotation).join(matches).where(matches.c.end == End.VOID)
        some = some.where(matches.c.cause.in_(map(str, causes)))
        some = some.order_by(matches.c.deal, matches.c.rotation)
        with self.begin_read() as connection:
            rows = connection.execute(some).all()
        return [(self._parse_deal(row), row.rotation) for row in rows]

    def count_matches(self) -> MatchCounts:
        """Return the counts of matches by their state."""
        with self.begin_read() as connection:
            planned = connection.scalar(select(func.sum(deals.c.rotations))) or 0
            by_end = select(matches.c.end, func.count()).group_by(matches.c.end)
            of: dict[str, int] = dict(connection.execute(by_end).all())
        cancelled = of.pop(CANCELLED, 0)
        return MatchCounts(planned, sum(of.values()), of.get(End.VOID, 0), cancelled)

    def find_first_and_last(self) -> tuple[str, str] | None:
        """Return the end times of the first and last match (ISO 8601, UTC); None before any."""
        with self.begin_read() as connection:
            first = connection.scalar(FIRST_TIME)
            return None if first is None else (first, str(connection.scalar(LAST_TIME)))

    def is_deal_over(self, deal: int) -> bool:
        """Return whether every rotation of a planned deal is over or cancelled."""
        with self.begin_read() as connection:
            return bool(connection.scalar(_SETTLED, {"deal": deal}))

    def count_rotations(self, deal: int) -> int:
        """Return the number of rotations of a deal; 0 if there is no such deal."""
        row = select(deals.c.rotations).where(deals.c.number == deal)
        with self.begin_read() as connection:
            return connection.scalar(row) or 0

    def get_stamp(self) -> tuple[object, ...]:
        """Return a stamp that differs after stored data has changed; it is cheap to read often.

        Compare stamps only of the same open store.
        """
        with self.begin_read() as connection:
            if self.address.path:
                return (connection.exec_driver_sql("PRAGMA data_version").scalar(),)
            over = connection.execute(_NEWEST).one_or_none() or ()
            planned = connection.scalar(select(func.max(deals.c.number)))
            states = select(entrants.c.id, entrants.c.state).order_by(entrants.c.id)
            return (*over, planned, *map(tuple, connection.execute(states)))

    def _read_deals(
        self, which: ColumnElement[bool] | None = None, start: int = 0
    ) -> Iterator[list[Deal]]:
        """Yield deals from this number on, page by page."""
        some = select(deals).order_by(deals.c.number).limit(PAGE_DEALS)
        some = some if which is None else some.where(which)
        while True:
            with self.begin_read() as connection:
                page = connection.execute(some.where(deals.c.number >= start)).all()
            if not page:
                return
            yield [self._parse_deal(row) for row in page]
            start = page[-1].number + 1

    def _parse_deal(self, row: Any) -> Deal:
        seated = tuple([self.find_entrant(number) for number in json.loads(row.seats)])
        return Deal(row.number, seated, row.rotations, row.stage)

    def _count_deals(self) -> int:
        with self.begin_read() as connection:
            return connection.scalar(select(func.count()).select_from(deals)) or 0

    def _find_over(self, page: list[Deal]) -> set[tuple[int, int]]:
        """Return the settled keys of these deals."""
        keys = select(matches.c.deal, matches.c.rotation)
        keys = keys.where(matches.c.deal.in_([deal.number for deal in page]))
        with self.begin_read() as connection:
            return {(deal, rotation) for deal, rotation in connection.execute(keys)}

    def _read_results(self, page: list[Deal]) -> Iterator[PlayedMatch]:
        """Yield the results of consecutive deals."""
        with self.begin_read() as connection:
            found = connection.execute(_select_results(page[0].number, page[-1].number)).all()
        for (number, rotation), group in groupby(found, itemgetter(0, 1)):
            deal = page[number - page[0].number]
            _, _, places, scores = zip(*group, strict=True)
            over = None not in places
            yield PlayedMatch(
                number, rotation, deal.stage, deal.rotate(rotation),
                places if over else None, scores if over else None,
            )  # fmt: skip
