"""What the coordinator asks when it goes on: what is planned, over, and to be played.

Long answers are read by pages of deals, so that they take no memory, hold no lock and see
what was written while they were read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen
from sqlalchemy import ColumnElement, bindparam, func, select

from arena.rules import End
from arena.tournament.plan import Deal, Past, Played
from arena.tournament.store.registry import Registry
from arena.tournament.store.schema import CANCELLED, deals, entrants, matches, seats

PAGE = 2000  # deals
_over = (
    select(func.count()).where(matches.c.deal == deals.c.number).correlate(deals).scalar_subquery()
)
_SETTLED = select(_over == deals.c.rotations).where(deals.c.number == bindparam("deal"))

_TIME = select(matches.c.stored).where(matches.c.end != CANCELLED).limit(1)
FIRST_TIME = _TIME.order_by(matches.c.stored)  # by an index: no scan of all matches
LAST_TIME = _TIME.order_by(matches.c.stored.desc())
_NEWEST = (  # a time, and how many were stored then
    select(matches.c.stored, func.count())
    .group_by(matches.c.stored)
    .order_by(matches.c.stored.desc())
    .limit(1)
)


@frozen
class Counts:
    """How far a tournament is, in matches."""

    planned: int
    stored: int  # of these: over, whatever came of them; void ones, too
    void: int  # of those that are stored
    cancelled: int  # planned, but not to be played; not among those that are stored

    @property
    def left(self) -> int:
        """Return how many of those that were planned are to be played."""
        return self.planned - self.stored - self.cancelled


class Reading(Registry):
    """The plan, and how far it is."""

    _open_from = 0  # every deal before this one is settled, and stays so

    def past(self) -> Past:
        """Return the counts over all deals so far, without results and what was cancelled."""
        past, cancelled = Past(), self._cancelled()
        for page in self._deals():
            for deal in page:
                past.count(deal, cancelled.get(deal.number, 0))
        return past

    def _cancelled(self) -> dict[int, int]:
        """Return the number of cancelled matches of each deal that has any."""
        some = select(matches.c.deal, func.count()).where(matches.c.end == CANCELLED)
        with self.reading() as connection:
            rows = connection.execute(some.group_by(matches.c.deal))
            return dict(rows.all())

    def played(self, start: int = 0) -> tuple[Played, ...]:
        """Return matches that are settled, in the order of keys; cancelled ones as void.

        Deals before `start` are left out.
        """
        return tuple(one for page in self._deals(start=start) for one in self._played(page))

    def todo(self) -> Iterator[tuple[Deal, int]]:
        """Return what is planned and not settled, in the order of keys."""
        start = self._planned()
        for page in self._deals(_over < deals.c.rotations, self._open_from):
            start = min(start, page[0].number)
            self._open_from = start
            over = self._settled(page)
            for deal in page:
                keys = ((deal.number, rotation) for rotation in range(deal.rotations))
                yield from (
                    (deal, rotation) for number, rotation in keys if (number, rotation) not in over
                )
        self._open_from = start

    def counts(self) -> Counts:
        """Return how far it is."""
        with self.reading() as connection:
            planned = connection.scalar(select(func.sum(deals.c.rotations))) or 0
            by_end = select(matches.c.end, func.count()).group_by(matches.c.end)
            of: dict[str, int] = dict(connection.execute(by_end).all())
        cancelled = of.pop(CANCELLED, 0)
        return Counts(planned, sum(of.values()), of.get(End.VOID, 0), cancelled)

    def first_and_last(self) -> tuple[str, str] | None:
        """Return when the first and the last match were over (ISO 8601, UTC); None before any."""
        with self.reading() as connection:
            first = connection.scalar(FIRST_TIME)
            return None if first is None else (first, str(connection.scalar(LAST_TIME)))

    def settled(self, deal: int) -> bool:
        """Is every rotation of a deal over, or cancelled? One that was never planned is not."""
        with self.reading() as connection:
            return bool(connection.scalar(_SETTLED, {"deal": deal}))

    def rotations(self, deal: int) -> int:
        """Return how many rotations a deal has; 0 if there is none of this number."""
        row = select(deals.c.rotations).where(deals.c.number == deal)
        with self.reading() as connection:
            return connection.scalar(row) or 0

    def stamp(self) -> tuple[object, ...]:
        """Return what differs when something that was stored has changed, cheap to ask often.

        It is worth something only beside another one of the same open store.
        """
        with self.reading() as connection:
            if self.address.path:
                return (connection.exec_driver_sql("PRAGMA data_version").scalar(),)
            over = connection.execute(_NEWEST).one_or_none() or ()
            planned = connection.scalar(select(func.max(deals.c.number)))
            states = select(entrants.c.id, entrants.c.state).order_by(entrants.c.id)
            return (*over, planned, *map(tuple, connection.execute(states)))

    def _deals(
        self, which: ColumnElement[bool] | None = None, start: int = 0
    ) -> Iterator[list[Deal]]:
        """Return deals from this number on, by pages."""
        some = select(deals).order_by(deals.c.number).limit(PAGE)
        some = some if which is None else some.where(which)
        while True:
            with self.reading() as connection:
                page = connection.execute(some.where(deals.c.number >= start)).all()
            if not page:
                return
            yield [self._deal(row) for row in page]
            start = page[-1].number + 1

    def _deal(self, row: Any) -> Deal:
        seated = tuple([self.one(number) for number in json.loads(row.seats)])
        return Deal(row.number, seated, row.rotations, row.stage)

    def _planned(self) -> int:
        with self.reading() as connection:
            return connection.scalar(select(func.count()).select_from(deals)) or 0

    def _settled(self, page: list[Deal]) -> set[tuple[int, int]]:
        """Return the keys that are settled among those of these deals."""
        keys = select(matches.c.deal, matches.c.rotation)
        keys = keys.where(matches.c.deal.in_([deal.number for deal in page]))
        with self.reading() as connection:
            return {(deal, rotation) for deal, rotation in connection.execute(keys)}

    def _played(self, page: list[Deal]) -> Iterator[Played]:
        """Return what is settled of deals that follow upon each other."""
        table = matches.outerjoin(seats)
        rows = select(matches.c.deal, matches.c.rotation, seats.c.place, seats.c.score)
        rows = rows.select_from(table).order_by(matches.c.deal, matches.c.rotation, seats.c.seat)
        rows = rows.where(matches.c.deal.between(page[0].number, page[-1].number))
        with self.reading() as connection:
            found = connection.execute(rows).all()
        for (number, rotation), group in groupby(found, itemgetter(0, 1)):
            deal = page[number - page[0].number]
            _, _, places, scores = zip(*group, strict=True)
            over = None not in places
            yield Played(
                number, rotation, deal.stage, deal.seated(rotation),
                places if over else None, scores if over else None,
            )  # fmt: skip
