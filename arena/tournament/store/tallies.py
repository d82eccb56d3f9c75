"""What each entrant has behind it, counted by the database."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen
from sqlalchemy import func, select

from arena.tournament.plan import Id
from arena.tournament.store.registry import Registry
from arena.tournament.store.schema import seats


@frozen
class Tally:
    """What an entrant has behind it; matches that were void left out."""

    matches: int
    verdicts: Mapping[str, int]  # by kind
    seconds: float  # that it used in a match, on average
    slowest: float = 0.0  # seconds, in the match in which it used most

    @property
    def fair(self) -> int:
        """Return in how many matches it earned no verdict."""
        return self.matches - sum(self.verdicts.values())


class Tallies(Registry):
    """Counts by entrant."""

    def tallies(self) -> dict[Id, Tally]:
        """Return everybody's, in the order of entry; also of those who have not played yet."""
        counts = func.count(), func.avg(seats.c.used), func.max(seats.c.used)
        over = seats.c.place.is_not(None)
        by_bot = select(seats.c.entrant, *counts).where(over).group_by(seats.c.entrant)
        by_kind = select(seats.c.entrant, seats.c.kind, func.count()).where(over)
        by_kind = by_kind.where(seats.c.kind.is_not(None))
        by_kind = by_kind.group_by(seats.c.entrant, seats.c.kind).order_by(seats.c.kind)
        with self.reading() as connection:
            played = {number: counted for number, *counted in connection.execute(by_bot)}
            kinds = connection.execute(by_kind).all()
        verdicts: dict[int, dict[str, int]] = {}
        for number, kind, count in kinds:
            verdicts.setdefault(number, {})[kind] = count
        return {
            one: _tally(verdicts.get(number, {}), *played.get(number, ()))
            for one, number in self.numbers.items()
        }


def _tally(
    verdicts: Mapping[str, int], count: int = 0, mean: float = 0.0, slowest: float = 0.0
) -> Tally:
    return Tally(count, verdicts, mean, slowest)
