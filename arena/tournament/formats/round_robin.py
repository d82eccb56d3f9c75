"""Round robin: every pair, or every group that fills a table, plays equally often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import comb
from random import Random
from typing import ClassVar

from attrs import field as parameter
from attrs import frozen, validators

from arena.rules import UserError
from arena.tournament.formats.circle_method import Group, Round, build_rounds
from arena.tournament.formats.scoring import check_field
from arena.tournament.formats.seating import SeatingPlanner
from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, Seating

BATCH_DEALS = 1000  # planned at a time, about
MAX_GROUPS = 50_000  # the most that can be enumerated


@frozen
class RoundRobin:
    """Every pair, or every group that fills a table, plays equally often.

    `rounds` is the number of times, 1 by default. If a tournament sets `matches` instead, it goes
    on until each entrant has its share, so that the last cycle may stay incomplete. In a duplicate
    tournament one cycle is every seat once; groups with an entrant that keeps a folder play a
    separate deal for each of these rotations.

    Only current entrants count: a late entrant, or a new version, plays its missing matches, and
    the others play no more among themselves.
    """

    rounds: int | None = parameter(default=None, validator=validators.optional(validators.ge(1)))
    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if both rounds and matches are set, or if there are too many groups."""
        check_field(field, terms)
        if self.rounds and terms.share:
            raise UserError("round-robin: set `rounds` or `matches`, not both")
        if (groups := comb(len(field), terms.seats_per_match)) > MAX_GROUPS:
            raise UserError(
                f"round-robin: {groups} groups are too many; use king-of-the-hill instead"
            )

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Seating]:
        """Return the next rounds, about a thousand deals at a time."""
        if len(field) < terms.seats_per_match:
            return ()
        planner = SeatingPlanner.after(past, terms, draw)
        for due in self._generate_rounds(field, planner):
            for group in due.groups:
                _plan_group(planner, field, group, due)
            if len(planner.seatings) >= BATCH_DEALS:
                break
        return planner.seatings

    def _generate_rounds(self, field: Sequence[Id], planner: SeatingPlanner) -> Iterator[RoundPlan]:
        """Yield one round after the other while matches are left."""
        terms = planner.terms
        all_rounds = build_rounds(len(field), terms.seats_per_match, planner.draw)
        for cycle in count():
            if not self._is_due(cycle, field, planner):
                return
            matches = (cycle + 1) * (terms.seats_per_match if terms.duplicate else 1)
            for number, groups in enumerate(all_rounds, 1 + cycle * len(all_rounds)):
                yield RoundPlan(f"round {number}", groups, matches)

    def _is_due(self, cycle: int, field: Sequence[Id], planner: SeatingPlanner) -> bool:
        """Return whether any match is left in this cycle, or in a later one."""
        if planner.terms.share is None:
            return cycle < (self.rounds or 1)
        return _has_claim(field, planner)


@frozen
class RoundPlan:
    """A round, with the number of matches that each of its groups should have after it."""

    stage: str
    groups: Round
    matches: int


def _has_claim(some: Sequence[Id], planner: SeatingPlanner) -> bool:
    """Return whether any of these entrants has matches left to play."""
    share = planner.terms.share
    return share is None or any(planner.past.plays[entrant] < share for entrant in some)


def _plan_group(planner: SeatingPlanner, field: Sequence[Id], group: Group, due: RoundPlan) -> None:
    """Plan the missing deals of a group; pairs swap seats from deal to deal."""
    members = tuple(field[index] for index in group)
    key, groups = tuple(sorted(members)), planner.past.groups
    while groups[key] < due.matches and _has_claim(members, planner):
        if len(group) == 2:  # noqa: PLR2004
            kept = (group[1] - group[0] + groups[key]) % 2
            planner.add(members if kept else members[::-1], due.stage)
        else:
            planner.seat(members, due.stage)
