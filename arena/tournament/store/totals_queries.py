"""Totals of each entrant, counted by the database."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen
from sqlalchemy import bindparam, func, select

from arena.tournament.models.schedule import Id
from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.schema import matches, seats


@frozen
class EntrantTotals:
    """The totals of an entrant, without void matches."""

    matches: int
    verdicts: Mapping[str, int]  # by kind
    seconds: float  # that it used in a match, on average
    slowest: float = 0.0  # seconds, in the match in which it used most

    @property
    def fair_matches(self) -> int:
        """Return in how many matches it earned no verdict."""
        return self.matches - sum(self.verdicts.values())


class TotalsQueries(EntrantStore):
    """Queries for totals by entrant."""

    def count_totals(self) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, even those without matches, in the order of entry."""
        counts = func.count(), func.avg(seats.c.used), func.max(seats.c.used)
        over = seats.c.place.is_not(None)
        by_bot = select(seats.c.entrant, *counts).where(over).group_by(seats.c.entrant)
        by_kind = select(seats.c.entrant, seats.c.kind, func.count()).where(over)
        by_kind = by_kind.where(seats.c.kind.is_not(None))
        by_kind = by_kind.group_by(seats.c.entrant, seats.c.kind).order_by(seats.c.kind)
        with self.begin_read() as connection:
            played = {number: counted for number, *counted in connection.execute(by_bot)}
            kinds = connection.execute(by_kind).all()
        verdicts: dict[int, dict[str, int]] = {}
        for number, kind, count in kinds:
            verdicts.setdefault(number, {})[kind] = count
        return {
            entrant: _build_totals(verdicts.get(number, {}), *played.get(number, ()))
            for entrant, number in self.numbers.items()
        }

    def find_debut(self, entrant: Id) -> str | None:
        """Return when an entrant's first match was over (ISO 8601, UTC); None before that."""
        with self.begin_read() as connection:
            return connection.scalar(_DEBUT, {"number": self.find_number(entrant)})


_DEBUT = (
    select(matches.c.stored)
    .join(seats, (seats.c.deal == matches.c.deal) & (seats.c.rotation == matches.c.rotation))
    .where(seats.c.entrant == bindparam("number"))
    .order_by(seats.c.deal, seats.c.rotation)
    .limit(1)
)


def _build_totals(
    verdicts: Mapping[str, int], count: int = 0, mean: float = 0.0, slowest: float = 0.0
) -> EntrantTotals:
    return EntrantTotals(count, verdicts, mean, slowest)
