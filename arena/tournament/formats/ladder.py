"""Ladder: matches are played where the order is least certain."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import numpy as np
from attrs import frozen

from arena.tournament.formats.scoring import check_field, check_opponents, count_newcomers
from arena.tournament.formats.seating import SeatingPlanner
from arena.tournament.formats.strength_estimates import Array, Strengths, count_wins
from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, Seating

MIN_DEALS = 5  # deals, below which everybody comes before all doubts


@frozen
class Ladder:
    """Matches are played where they tell most about the order, new entrants first.

    Each time half of the field sits down at most: first who has played fewer than 5 deals,
    the fewest first, then those whose order with somebody is least certain; and each with
    those about whom it is least certain. It ends with the matches that a tournament asks for,
    to which everybody who has come later adds a share for one seat, and goes on for ever
    where it asks for none. On a hill those who lack matches play, several at once, until nobody
    does.
    """

    adaptive: ClassVar[bool] = True
    open: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError for a table of one."""
        check_field(field, terms)
        check_opponents(terms, "ladder")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Seating]:
        """Return a few deals; no entrant is in two of them."""
        if len(field) < terms.seats_per_match:
            return ()
        planner = SeatingPlanner.after(past, terms, draw)
        doubts = _estimate_strengths(field, past).compute_doubts()
        waiting = [*range(len(field))]
        for _ in range(max(1, len(field) // (2 * terms.seats_per_match))):
            first = _choose_first(waiting, doubts, field, planner)
            if first is None:
                break
            others = [index for index in waiting if index != first]
            if len(others) < terms.seats_per_match - 1:
                break
            table = _fill_table(first, others, doubts, planner)
            planner.seat([field[index] for index in table])
            waiting = [index for index in waiting if index not in table]
        return planner.seatings

    def rank_by_strength(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[tuple[Id, float]]:
        """Return the entrants with their estimated strengths in logits, the best first."""
        strengths = zip(field, _estimate_strengths(field, past).mean.tolist(), strict=False)
        return sorted(strengths, key=lambda strength: -strength[1])


def _estimate_strengths(field: Sequence[Id], past: PastMatches) -> Strengths:
    """Return the strengths of the field, followed by those of former entrants.

    What these have played among themselves says nothing of the field: so results age, by
    versions and not by time, and a hill of many months is as quick as a young one.
    """
    here = {*field}
    results = [played for played in past.results if not here.isdisjoint(played.seats)]
    known = dict.fromkeys([*field, *(entrant for played in results for entrant in played.seats)])
    return Strengths.of(count_wins([*known], results))


def _is_complete(field: Sequence[Id], planner: SeatingPlanner) -> bool:
    """Return whether all matches are planned."""
    past, terms = planner.past, planner.terms
    if terms.matches is None or terms.share is None:
        return False
    more = count_newcomers(field, past, terms) * terms.share // terms.seats_per_match
    return past.matches >= terms.matches + more


def _fill_table(
    first: int, others: Sequence[int], doubts: Array, planner: SeatingPlanner
) -> list[int]:
    """Return the entrants at the table of `first`."""
    table = [first]
    while len(table) < planner.terms.seats_per_match:
        sums = doubts[table].sum(axis=0)
        lots = {
            index: (sums[index], planner.draw.random()) for index in others if index not in table
        }
        table.append(max(lots, key=lots.__getitem__))
    return table


def _choose_first(
    waiting: Sequence[int], doubts: Array, field: Sequence[Id], planner: SeatingPlanner
) -> int | None:
    """Return the entrant that plays next, or None if all matches are planned.

    That is who has played few deals and fewest, else who is in most doubt. On a hill it is who
    has played fewest, who may sit at several tables at once, as it has most to catch up on.
    """
    terms, plays = planner.terms, planner.past.plays
    if terms.each is not None:
        lacking = [index for index in range(len(field)) if plays[field[index]] < terms.each]
        return min(lacking, key=lambda index: plays[field[index]], default=None)
    if _is_complete(field, planner):
        return None
    worst = doubts[np.ix_(waiting, waiting)].max(axis=1).tolist()
    lots = {}
    for index, doubt in zip(waiting, worst, strict=True):
        few = MIN_DEALS * terms.count_rotations([field[index]])
        lots[index] = (min(1, plays[field[index]] / few), -doubt, planner.draw.random())
    return min(lots, key=lots.__getitem__)
