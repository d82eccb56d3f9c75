"""Free-for-all: everybody as often as everybody, with and beside everybody."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from attrs import frozen

from arena.rules import UserError
from arena.tournament.formats.common import enough
from arena.tournament.formats.groups import grouped
from arena.tournament.formats.quotas import Need
from arena.tournament.formats.seating import Planner
from arena.tournament.plan import Id, Past, Seating, Terms


@frozen
class Hill:
    """All for themselves, table after table, each its share of matches.

    Everybody plays equally often, meets everybody about equally often, and sits about
    equally often in every seat and behind everybody. Who comes later plays more often than
    the others until both are through together, or alone up to its share. Where the shares
    do not fill the last tables, those who have played least sit in. `evenness` says how
    far all this came true.
    """

    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: Terms) -> None:
        """Raise UserError where it is not said how many matches there are."""
        enough(field, terms)
        if terms.share is None:
            raise UserError("king-of-the-hill goes on and on: say how many matches")

    def next(
        self, field: Sequence[Id], past: Past, terms: Terms, draw: Random
    ) -> Sequence[Seating]:
        """Return deals for about as many tables as there are entrants."""
        if len(field) < terms.seats_per_match:
            return ()
        need = Need.of(field, past, terms)
        if not need.deals.any():
            return ()
        step = 1 if terms.keepers.intersection(field) else terms.rotations(())
        planner = Planner.after(past, terms, draw)
        for group in grouped(need.quotas(draw), terms.seats_per_match, need.met, step, draw):
            planner.seat([field[one] for one in group])
        return planner.seatings
