"""King of the hill: all entrants meet at changing tables, equally often and in all seats."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from attrs import frozen

from arena.rules import UserError
from arena.tournament.formats.balanced_groups import build_groups
from arena.tournament.formats.fair_share import MissingMatches
from arena.tournament.formats.scoring import check_field
from arena.tournament.formats.seating import SeatingPlanner
from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, Seating


@frozen
class KingOfTheHill:
    """All entrants meet at changing tables, and each plays its share of matches.

    All entrants play equally often, meet each other about equally often, and sit about equally
    often in every seat and behind every other entrant. A late entrant plays more often, so that all
    finish together, or alone up to its share. If the shares do not fill the last tables, those who
    have played least fill them. `evenness` measures all this.
    """

    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the number of matches is not set."""
        check_field(field, terms)
        if terms.share is None:
            raise UserError("king-of-the-hill has no end of its own: set `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Seating]:
        """Return deals for about as many tables as there are entrants."""
        if len(field) < terms.seats_per_match:
            return ()
        need = MissingMatches.of(field, past, terms)
        if not need.deals.any():
            return ()
        step = 1 if terms.keepers.intersection(field) else terms.count_rotations(())
        planner = SeatingPlanner.after(past, terms, draw)
        for group in build_groups(
            need.compute_quotas(draw), terms.seats_per_match, need.met, step, draw
        ):
            planner.seat([field[index] for index in group])
        return planner.seatings
