"""Gauntlet: one entrant, or several, against all others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from attrs import frozen

from arena.rules import UnknownNameError
from arena.tournament.formats.seating import SeatingPlanner, check_field, check_opponents
from arena.tournament.models import Deal, FormatTerms, Id, PastMatches, get_name, make_pair


@frozen
class Gauntlet:
    """Challengers meet all others equally often; neither they nor the others meet each other.

    `challenger` is the name of an entrant in any version, or several names, joined by `+`; by
    default the last to enter. At larger tables a challenger meets those whom it has met least. They
    share the tournament's number of matches, or else each meets each opponent once. Late entrants
    get the same number of matches against them as the others.
    """

    challenger: str | None = None
    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if a challenger is unknown, or for a table of one."""
        check_opponents(terms, "gauntlet")
        check_field(field, terms)
        names = [*map(get_name, field)]
        for name in self._list_names() if field else ():
            if name not in names:
                raise UnknownNameError("entrant", name, names)
        if field:
            check_field([field[0], *self._list_others(field)], terms)

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return deals until the challengers have met every opponent again, or the rest."""
        others = self._list_others(field)
        if len(others) < terms.seats_per_match - 1 or not others:
            return ()
        planner = SeatingPlanner.after(past, terms, draw)
        share = None if terms.matches is None else -(-terms.matches // self._count_challengers())
        for challenger in (entrant for entrant in field if entrant not in others):
            most = len(planner.deals) + len(others)
            while len(planner.deals) < most and self._has_more_to_play(
                challenger, others, share, planner
            ):
                planner.seat([challenger, *_choose_opponents(challenger, others, planner)])
        return planner.deals

    def _has_more_to_play(
        self, challenger: Id, others: Sequence[Id], share: int | None, planner: SeatingPlanner
    ) -> bool:
        """Return whether a challenger has matches of its share left, or opponents to meet."""
        past, terms = planner.past, planner.terms
        least = min(past.met[make_pair(challenger, other)] for other in others)
        if share is None:
            return least < 1
        among = max(len(others), terms.first - self._count_challengers())
        even = share * (terms.seats_per_match - 1) // among
        return past.plays[challenger] < share or least < even

    def _list_names(self) -> Sequence[str]:
        return self.challenger.split("+") if self.challenger else ()

    def _count_challengers(self) -> int:
        return max(1, len({*self._list_names()}))

    def _list_others(self, field: Sequence[Id]) -> list[Id]:
        """Return the entrants that challenge nobody."""
        if self.challenger is None:
            return [*field[:-1]]
        names = self._list_names()
        return [entrant for entrant in field if get_name(entrant) not in names]


def _choose_opponents(challenger: Id, others: Sequence[Id], planner: SeatingPlanner) -> list[Id]:
    """Return the opponents at the challenger's next table."""
    past, draw = planner.past, planner.draw
    lots = {other: (past.met[make_pair(challenger, other)], draw.random()) for other in others}
    return sorted(others, key=lots.__getitem__)[: planner.terms.seats_per_match - 1]
