"""One against all the others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from attrs import frozen

from arena.rules import Unknown
from arena.tournament.formats.common import enough, opponents_wanted
from arena.tournament.formats.seating import Planner
from arena.tournament.plan import Id, Past, Seating, Terms, name_of, pair


@frozen
class Gauntlet:
    """A challenger meets all the others equally often, who play nothing among themselves.

    `challenger` is its name, in whatever version; if nothing is said, it is who entered
    last. At larger tables it sits down with those whom it has met least. It plays as many
    matches as a tournament says, else once with each. Who comes later gets as much of it as
    the others have a right to.
    """

    challenger: str | None = None
    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: Terms) -> None:
        """Raise UserError where there is no such challenger, or a table of one."""
        enough(field, terms)
        opponents_wanted(terms, "gauntlet")
        if field and self._challenger(field) is None:
            assert self.challenger is not None
            raise Unknown("entrant", self.challenger, map(name_of, field))

    def next(
        self, field: Sequence[Id], past: Past, terms: Terms, draw: Random
    ) -> Sequence[Seating]:
        """Return deals until everybody has been met once more, or the last of them."""
        one = self._challenger(field)
        if one is None or len(field) < terms.seats_per_match:
            return ()
        others = [other for other in field if other != one]
        planner = Planner.after(past, terms, draw)
        while len(planner.seatings) < len(others) and _goes_on(one, others, planner):
            planner.seat([one, *_least_met(one, others, planner)])
        return planner.seatings

    def _challenger(self, field: Sequence[Id]) -> Id | None:
        if self.challenger is None:
            return field[-1] if field else None
        return next((one for one in field if name_of(one) == self.challenger), None)


def _goes_on(one: Id, others: Sequence[Id], planner: Planner) -> bool:
    """Has it matches left to play, or somebody to meet?"""
    past, terms = planner.past, planner.terms
    least = min(past.met[pair(one, other)] for other in others)
    if terms.matches is None:
        return least < 1
    among = max(len(others), terms.first - 1)
    return (
        past.plays[one] < terms.matches
        or least < terms.matches * (terms.seats_per_match - 1) // among
    )


def _least_met(one: Id, others: Sequence[Id], planner: Planner) -> list[Id]:
    """Return those who fill its table."""
    past, draw = planner.past, planner.draw
    lots = {other: (past.met[pair(one, other)], draw.random()) for other in others}
    return sorted(others, key=lots.__getitem__)[: planner.terms.seats_per_match - 1]
