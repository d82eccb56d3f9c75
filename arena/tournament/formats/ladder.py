"""Ladder: matches between entrants of whose order a match can still tell most.

Only to choose matches, the format estimates strengths and their uncertainty quickly: with Bradley
and Terry's model (Biometrika 39, 1952) of who finishes ahead and a normal prior of variance 1
around 0, it takes the mode by Newton's method, and as covariance the inverse curvature there. A
match of several players counts as pairs with weights, so that a table of n counts as n - 1 matches
of two.

The order of equals, such as a bot and its copy, is never decided. They would get nearly all matches
if these went to the least certain pair. So the choice goes by how much another match narrows the
interval, times the chance that the order is wrong, and nobody has the same opponent in more than a
limited share of its matches.

Two thirds of the matches, by lot, go to the pairs that have met least. Without them, early luck
would decide which pairs never meet again: among equals, the intervals of ratings, which take the
schedule as given, would contain the truth in 70 % instead of 95 % of the cases
(`python -m benchmarks.coverage_grid`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import erf
from random import Random
from typing import ClassVar

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from arena.tournament.deals import Deal, PastMatches, PlayedMatch, make_pair
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.seating import SeatingPlanner, check_field

MIN_DEALS = 5  # newer entrants come before all uncertain orders
MAX_STEPS = 50  # of Newton's method
EVEN_SHARE = 2 / 3  # of the batches, which go to pairs that have met least
MAX_PAIR_SHARE = 0.25  # of an entrant's matches; in a small field twice the even share

Array = NDArray[np.float64]


@frozen
class Ladder:
    """Matches are played where they tell most about the order, new entrants first.

    That is a third of them; the others go to pairs that have met least, so that no luck stays.

    At most half of the field plays at a time: first entrants with fewer than 5 deals, the fewest
    first, then those of whose order with somebody a match can still tell most. So are opponents
    chosen, but none for more than a quarter of an entrant's matches, or twice the even share if
    that is more. It ends after the tournament's number of matches, to which each late entrant adds
    the share of one seat; without a number it never ends. On a hill, entrants with missing matches
    play, several at once, until nobody lacks any.
    """

    adaptive: ClassVar[bool] = True
    open: ClassVar[bool] = True
    needs_opponents: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the field is too small for a match."""
        check_field(field, terms)

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return a few deals; no entrant is in two of them."""
        if len(field) < terms.entrants_per_match:
            return ()
        planner = SeatingPlanner.after(past, terms, draw)
        if draw.random() < EVEN_SHARE:
            doubts = _count_missing_meetings(field, past)
        else:
            doubts = estimate_strengths(field, past).compute_doubts()
            doubts[: len(field), : len(field)] *= _find_open_pairs(field, planner)
        waiting = [*range(len(field))]
        for _ in range(max(1, len(field) // (2 * terms.entrants_per_match))):
            first = _choose_first(waiting, doubts, field, planner)
            if first is None:
                break
            others = [index for index in waiting if index != first]
            if len(others) < terms.entrants_per_match - 1:
                break
            table = _fill_table(first, others, doubts, planner)
            planner.seat([field[index] for index in table])
            waiting = [index for index in waiting if index not in table]
        return planner.deals


def _find_open_pairs(field: Sequence[Id], planner: SeatingPlanner) -> Array:
    """Return 1 for each pair that has not had its share of both entrants' matches, else 0; (n, n).

    The first deals are no share yet.
    """
    past, n, opponents = planner.past, len(field), planner.terms.entrants_per_match - 1
    meetings = _count_meetings(field, past)
    few = MIN_DEALS * planner.terms.count_rotations(())
    plays = np.array([max(past.plays[entrant], few) for entrant in field])
    share = max(MAX_PAIR_SHARE, 2 * opponents / max(1, n - 1))
    return np.asarray(meetings < share * np.minimum.outer(plays, plays), float)


def _count_missing_meetings(field: Sequence[Id], past: PastMatches) -> Array:
    """Return the number of meetings by which each pair would have one more than any; (n, n)."""
    meetings = _count_meetings(field, past)
    return np.asarray((meetings.max() + 1 - meetings) * (1 - np.eye(len(field))))


def _count_meetings(field: Sequence[Id], past: PastMatches) -> Array:
    return np.array(
        [
            [past.meetings[make_pair(*pair)] for pair in product([entrant], field)]
            for entrant in field
        ]
    )


def _choose_first(
    waiting: Sequence[int], doubts: Array, field: Sequence[Id], planner: SeatingPlanner
) -> int | None:
    """Return the entrant that plays next, or None if all matches are planned.

    Entrants with few deals come first, the fewest first, then the least certain one. On a hill it
    is the entrant with the fewest deals, which may play at several tables at once to catch up.
    """
    terms, plays = planner.terms, planner.past.plays
    if terms.matches_per_version is not None:
        lacking = [
            index for index in range(len(field)) if plays[field[index]] < terms.matches_per_version
        ]
        return min(lacking, key=lambda index: plays[field[index]], default=None)
    if _is_complete(field, planner):
        return None
    worst = doubts[np.ix_(waiting, waiting)].max(axis=1).tolist()
    lots = {
        index: (_compute_experience(field[index], planner), -doubt, planner.draw.random())
        for index, doubt in zip(waiting, worst, strict=True)
    }
    return min(lots, key=lots.__getitem__)


def _is_complete(field: Sequence[Id], planner: SeatingPlanner) -> bool:
    """Return whether all matches are planned."""
    past, terms = planner.past, planner.terms
    if terms.matches is None or terms.share is None:
        return False
    more = _count_newcomers(field, past, terms) * terms.share // terms.entrants_per_match
    return past.matches >= terms.matches + more


def _count_newcomers(field: Sequence[Id], past: PastMatches, terms: FormatTerms) -> int:
    """Return the number of entrants that entered after the first deal, in any version."""
    return max(0, len({*field, *past.plays}) - terms.initial_entrants)


def _compute_experience(entrant: Id, planner: SeatingPlanner) -> float:
    """Return the share of the first deals that an entrant has played; 1 from then on."""
    few = MIN_DEALS * planner.terms.count_rotations([entrant])
    return min(1, planner.past.plays[entrant] / few)


def _fill_table(
    first: int, others: Sequence[int], doubts: Array, planner: SeatingPlanner
) -> list[int]:
    """Return the entrants at the table of `first`."""
    table = [first]
    while len(table) < planner.terms.entrants_per_match:
        sums = doubts[table].sum(axis=0)
        lots = {
            index: (sums[index], planner.draw.random()) for index in others if index not in table
        }
        table.append(max(lots, key=lots.__getitem__))
    return table


def estimate_strengths(field: Sequence[Id], past: PastMatches) -> StrengthBeliefs:
    """Return the strengths of the field, followed by those of former entrants.

    Matches among former entrants are ignored, since they tell nothing about the field: so results
    age by versions and not by time, and an old hill is as fast as a young one.
    """
    present = {*field}
    results = [match for match in past.results if not present.isdisjoint(match.seats)]
    entrants = dict.fromkeys([*field, *(entrant for match in results for entrant in match.seats)])
    return StrengthBeliefs.of(count_wins([*entrants], results))


@define(eq=False, frozen=True)
class StrengthBeliefs:
    """Estimated strengths: means and covariance."""

    mean: Array  # (n,)
    covariance: Array  # (n, n)

    @classmethod
    def of(cls, wins: Array) -> StrengthBeliefs:
        """Estimate the strengths; `wins` counts how often each row beat each column."""
        games = wins + wins.T
        mean = np.zeros(len(wins))
        for _ in range(MAX_STEPS):
            expected = 1 / (1 + np.exp(np.subtract.outer(mean, mean).T))  # of rows against columns
            slope = (wins - games * expected).sum(axis=1) - mean
            curved = games * expected * (1 - expected)
            curvature = np.diag(curved.sum(axis=1) + 1) - curved
            step = np.linalg.solve(curvature, slope)
            mean = mean + np.clip(step, -1, 1)
            if np.abs(step).max() < 1e-6:  # noqa: PLR2004
                break
        return cls(mean, np.asarray(np.linalg.inv(curvature), float))

    def compute_doubts(self) -> Array:
        """Return the information about the order of each pair in another match of it; (n, n).

        It is the probability that the order is wrong, times what the match would take from the
        standard deviation of the difference. Wherever all is known, it is 0.
        """
        own = self.covariance.diagonal()
        deviation = np.sqrt(np.maximum(1e-12, np.add.outer(own, own) - 2 * self.covariance))
        apart = np.abs(np.subtract.outer(self.mean, self.mean))
        wrong = 0.5 - 0.5 * np.vectorize(erf, otypes=[float])(apart / deviation / np.sqrt(2))
        share = 1 / (1 + np.exp(apart))
        after = deviation / np.sqrt(1 + share * (1 - share) * deviation**2)
        learnt: Array = np.round(wrong * (deviation - after), 9) * (1 - np.eye(len(own)))
        return learnt


def count_wins(entrants: Sequence[Id], results: Sequence[PlayedMatch]) -> Array:
    """Return a matrix of the matches that row finished ahead of column; a shared place is half."""
    index = {entrant: number for number, entrant in enumerate(entrants)}
    total = np.zeros((len(entrants), len(entrants)))
    for match in results:
        if match.places is not None:
            _add_match(total, [index[entrant] for entrant in match.seats], match.places)
    return total


def _add_match(total: Array, seats: Sequence[int], places: Sequence[int]) -> None:
    part = 2 / len(seats)
    for first, second in combinations(range(len(seats)), 2):
        better, worse = (first, second) if places[first] <= places[second] else (second, first)
        shared = places[first] == places[second]
        total[seats[better], seats[worse]] += part * (0.5 if shared else 1)
        total[seats[worse], seats[better]] += part * (0.5 if shared else 0)
