"""Round robin, in which everybody plays everybody equally often; and gauntlet, some against all.

In a round robin every pair plays, or every group that fills a table. For pairs, the entrants are
numbered round a circle, and each round pairs those whose numbers have the same sum, so that a round
consists of disjoint pairs and every two meet once (Reiss, Journal fuer die reine und angewandte
Mathematik 56, 1859; Lucas, Recreations mathematiques 2, 1883). For larger tables, a round is one
pattern, such as {0, 1, 4}, rotated round the circle: each entrant appears as often as the table has
seats, and every group is in exactly one round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, count
from math import comb
from random import Random
from typing import ClassVar

from attrs import field as parameter
from attrs import frozen, validators

from arena.rules import UnknownNameError, UserError
from arena.tournament.deals import Deal, PastMatches, make_pair
from arena.tournament.entries import Id, get_name
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.seating import SeatingPlanner, check_field

BATCH_DEALS = 1000  # planned at a time, about
MAX_GROUPS = 50_000  # the most that can be enumerated

Group = tuple[int, ...]
Round = tuple[Group, ...]


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
    needs_opponents: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if both rounds and matches are set, or if there are too many groups."""
        check_field(field, terms)
        if self.rounds and terms.share:
            raise UserError("round-robin: set `rounds` or `matches`, not both")
        if (groups := comb(len(field), terms.entrants_per_match)) > MAX_GROUPS:
            raise UserError(
                f"round-robin: {groups} groups are too many; use king-of-the-hill instead"
            )

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return the next rounds, about a thousand deals at a time."""
        if len(field) < terms.entrants_per_match:
            return ()
        planner = SeatingPlanner.after(past, terms, draw)
        for due in self._generate_rounds(field, planner):
            for group in due.groups:
                _plan_group(planner, field, group, due)
            if len(planner.deals) >= BATCH_DEALS:
                break
        return planner.deals

    def _generate_rounds(self, field: Sequence[Id], planner: SeatingPlanner) -> Iterator[RoundPlan]:
        """Yield one round after the other while matches are left."""
        terms = planner.terms
        all_rounds = build_rounds(len(field), terms.entrants_per_match, planner.draw)
        for cycle in count():
            if not self._is_due(cycle, field, planner):
                return
            matches = (cycle + 1) * (terms.entrants_per_match if terms.duplicate else 1)
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


def _plan_group(planner: SeatingPlanner, field: Sequence[Id], group: Group, due: RoundPlan) -> None:
    """Plan the missing deals of a group; pairs swap seats from deal to deal."""
    members = tuple(field[index] for index in group)
    key, groups = tuple(sorted(members)), planner.past.groups
    while groups[key] < due.matches and _has_claim(members, planner):
        if planner.terms.is_pairwise:
            is_in_order = (group[1] - group[0] + groups[key]) % 2
            planner.add(members if is_in_order else members[::-1], due.stage)
        else:
            planner.seat(members, due.stage)


def _has_claim(some: Sequence[Id], planner: SeatingPlanner) -> bool:
    """Return whether any of these entrants has matches left to play."""
    share = planner.terms.share
    return share is None or any(planner.past.plays[entrant] < share for entrant in some)


def build_rounds(entrants: int, table: int, draw: Random) -> list[Round]:
    """Return all groups of `table` entrants, in rounds; those of larger tables in drawn order."""
    if table == 2:  # noqa: PLR2004
        return [build_pairs(entrants, number) for number in range(entrants - 1 + entrants % 2)]
    return draw.sample(patterns := build_patterns(entrants, table), len(patterns))


def build_pairs(entrants: int, number: int) -> Round:
    """Return the pairs of a round by the circle method, the earlier of each first.

    >>> build_pairs(4, 0), build_pairs(4, 1), build_pairs(4, 2)
    (((1, 2), (0, 3)), ((0, 1), (2, 3)), ((0, 2), (1, 3)))
    """
    circle = entrants - 1 + entrants % 2
    pairs = [(first, (number - first) % circle) for first in range(circle)]
    alone = number * (circle + 1) // 2 % circle  # the entrant that would be paired with itself
    centre = [(alone, entrants - 1)] if circle < entrants else []
    return (*((first, second) for first, second in pairs if first < second), *centre)


@lru_cache(maxsize=4)
def build_patterns(entrants: int, table: int) -> tuple[Round, ...]:
    """Return all groups, ordered so that the rotations of one pattern are together."""
    return tuple(
        tuple(sorted({_rotate(pattern, by, entrants) for by in range(entrants)}))
        for pattern in _find_patterns(entrants, table)
    )


def _find_patterns(entrants: int, table: int) -> Iterator[Group]:
    """Yield each pattern once, as the first of its rotations that contain 0."""
    for rest in combinations(range(1, entrants), table - 1):
        pattern = (0, *rest)
        if all(pattern <= _rotate(pattern, -offset, entrants) for offset in rest):
            yield pattern


def _rotate(pattern: Group, by: int, entrants: int) -> Group:
    return tuple(sorted((place + by) % entrants for place in pattern))


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
    needs_opponents: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if a challenger is unknown, or the field is too small for a match."""
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
        if len(others) < terms.entrants_per_match - 1 or not others:
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
        least = min(past.meetings[make_pair(challenger, other)] for other in others)
        if share is None:
            return least < 1
        among = max(len(others), terms.initial_entrants - self._count_challengers())
        even = share * (terms.entrants_per_match - 1) // among
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
    lots = {other: (past.meetings[make_pair(challenger, other)], draw.random()) for other in others}
    return sorted(others, key=lots.__getitem__)[: planner.terms.entrants_per_match - 1]
