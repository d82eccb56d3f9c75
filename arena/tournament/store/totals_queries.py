"""Totals of each entrant, counted by the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen
from sqlalchemy import bindparam, func, select

from arena.rules import End
from arena.tournament.models.schedule import Id
from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.match_writer import Key
from arena.tournament.store.schema import matches, seats


@frozen
class EntrantTotals:
    """The totals of an entrant, without void matches."""

    matches: int
    verdicts: Mapping[str, int]  # by kind
    seconds: float  # that it used in a match, on average
    slowest: float = 0.0  # seconds, in the match in which it used most
    many_games: bool = False  # whether a process of it plays match after match

    @property
    def fair_matches(self) -> int:
        """Return in how many matches it earned no verdict."""
        return self.matches - sum(self.verdicts.values())


class TotalsQueries(EntrantStore):
    """Queries for totals by entrant."""

    def count_totals(self) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, even those without matches, in the order of entry."""
        counts = (
            func.count(), func.avg(seats.c.used), func.max(seats.c.used),
            func.count(seats.c.earlier),
        )  # fmt: skip
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
        """Return the time of an entrant's first result (ISO 8601, UTC); None before that."""
        with self.begin_read() as connection:
            return connection.scalar(_DEBUT, {"number": self.find_number(entrant)})

    def find_deal_time(self, deal: int) -> str | None:
        """Return the time of a deal's first result (ISO 8601, UTC); None before that."""
        with self.begin_read() as connection:
            found: str | None = connection.scalar(_DEAL_TIME, {"deal": deal})
        return found

    def find_longest(self) -> tuple[Key, int] | None:
        """Return the first of the longest matches and its rounds; None if all are as long."""
        with self.begin_read() as connection:
            shortest, longest = connection.execute(_LENGTHS).one()
            if longest is None or longest == shortest:
                return None
            deal, rotation = connection.execute(_LONGEST, {"rounds": longest}).one()
        return (deal, rotation), longest

    def find_rotation(self, deal: int, seated: Sequence[Id]) -> int:
        """Return the first rotation of a deal with these entrants in seat order, or 0."""
        wanted = [self.find_number(entrant) for entrant in seated]
        rows = select(seats.c.rotation, seats.c.entrant).where(seats.c.deal == deal)
        found: dict[int, list[int]] = {}
        with self.begin_read() as connection:
            for rotation, number in connection.execute(
                rows.order_by(seats.c.rotation, seats.c.seat)
            ):
                found.setdefault(rotation, []).append(number)
        return next((rotation for rotation, numbers in found.items() if numbers == wanted), 0)


_FINISHED = matches.c.end == str(End.FINISHED)
_DEAL_TIME = select(func.min(matches.c.stored)).where(matches.c.deal == bindparam("deal"))
_LENGTHS = select(func.min(matches.c.rounds), func.max(matches.c.rounds)).where(_FINISHED)
_LONGEST = (
    select(matches.c.deal, matches.c.rotation)
    .where(_FINISHED, matches.c.rounds == bindparam("rounds"))
    .order_by(matches.c.deal, matches.c.rotation)
    .limit(1)
)
_DEBUT = (
    select(matches.c.stored)
    .join(seats, (seats.c.deal == matches.c.deal) & (seats.c.rotation == matches.c.rotation))
    .where(seats.c.entrant == bindparam("number"))
    .order_by(seats.c.deal, seats.c.rotation)
    .limit(1)
)


def _build_totals(
    verdicts: Mapping[str, int],
    count: int = 0,
    mean: float = 0.0,
    slowest: float = 0.0,
    lasting: int = 0,
) -> EntrantTotals:
    return EntrantTotals(count, verdicts, mean, slowest, lasting > 0)
