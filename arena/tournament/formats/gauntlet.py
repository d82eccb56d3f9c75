"""Gauntlet: one entrant against all others."""

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
    """A challenger meets all others equally often; the others do not meet each other.

    `challenger` is the name of an entrant in any version; by default the last to enter. At larger
    tables it meets those whom it has met least. It plays the tournament's number of matches, or
    else meets each opponent once. Late entrants get the same number of matches against it as the
    others.
    """

    challenger: str | None = None
    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the challenger is unknown, or for a table of one."""
        check_field(field, terms)
        check_opponents(terms, "gauntlet")
        if field and self._find_challenger(field) is None:
            assert self.challenger is not None
            raise UnknownNameError("entrant", self.challenger, map(get_name, field))

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return deals until the challenger has met every opponent again, or the remaining ones."""
        challenger = self._find_challenger(field)
        if challenger is None or len(field) < terms.seats_per_match:
            return ()
        others = [other for other in field if other != challenger]
        planner = SeatingPlanner.after(past, terms, draw)
        while len(planner.deals) < len(others) and _has_more_to_play(challenger, others, planner):
            planner.seat([challenger, *_choose_opponents(challenger, others, planner)])
        return planner.deals

    def _find_challenger(self, field: Sequence[Id]) -> Id | None:
        if self.challenger is None:
            return field[-1] if field else None
        return next((entrant for entrant in field if get_name(entrant) == self.challenger), None)


def _has_more_to_play(challenger: Id, others: Sequence[Id], planner: SeatingPlanner) -> bool:
    """Return whether a challenger has matches left to play, or opponents left to meet."""
    past, terms = planner.past, planner.terms
    least = min(past.met[make_pair(challenger, other)] for other in others)
    if terms.matches is None:
        return least < 1
    among = max(len(others), terms.first - 1)
    return (
        past.plays[challenger] < terms.matches
        or least < terms.matches * (terms.seats_per_match - 1) // among
    )


def _choose_opponents(challenger: Id, others: Sequence[Id], planner: SeatingPlanner) -> list[Id]:
    """Return the opponents at the challenger's next table."""
    past, draw = planner.past, planner.draw
    lots = {other: (past.met[make_pair(challenger, other)], draw.random()) for other in others}
    return sorted(others, key=lots.__getitem__)[: planner.terms.seats_per_match - 1]
