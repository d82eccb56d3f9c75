"""Swiss system: rounds between entrants with equal points, without rematches."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from random import Random
from typing import ClassVar

import numpy as np
from attrs import field as parameter
from attrs import frozen, validators

from arena.rules import UserError
from arena.tournament.formats.minimum_cost_pairing import Costs, find_best_pairs, find_best_tables
from arena.tournament.formats.scoring import check_field, check_opponents
from arena.tournament.formats.seating import SeatingPlanner
from arena.tournament.formats.swiss_scores import SwissScores, name_stage
from arena.tournament.models.schedule import (
    FormatTerms,
    Id,
    PastMatches,
    Seating,
    make_pair,
    rotate_seats,
)


@frozen
class Swiss:
    """Entrants with equal points meet in each round, without rematches if possible.

    `rounds` is their number, by default ceil(log2 n) + 1, but no more than there are opponents;
    `games` is the number of deals of each table in a round, with rotating seats.

    A round is worth at most 1: the mean over its matches of 1 for a win, 1/2 for a draw or a void
    match, and at larger tables the share of the others that finished behind. Pairings have as few
    rematches as possible, and then the least sum of squared differences in points, so that an
    entrant without equals meets the next ones. If the field does not fill the tables, the last in
    points get a bye, nobody twice before all have had one; a bye counts as a win, and is part of
    the round's name. A late entrant has no points for earlier rounds.
    """

    rounds: int | None = parameter(default=None, validator=validators.optional(validators.ge(1)))
    games: int = parameter(default=1, validator=validators.ge(1))
    adaptive: ClassVar[bool] = True
    open: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if `matches` is set, or for a table of one."""
        check_field(field, terms)
        check_opponents(terms, "swiss")
        if terms.matches is not None:
            raise UserError("swiss: set `rounds` and `games` instead of `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Seating]:
        """Return the next round."""
        scores = SwissScores.of(past)
        planned = self._count_rounds(len(field), terms)
        if len(field) < terms.seats_per_match or scores.rounds >= planned:
            return ()
        drawn = draw.sample(field, len(field))
        order = sorted(drawn, key=scores.points.__getitem__, reverse=True)
        planner = SeatingPlanner.after(past, terms, draw)
        build = _build_pairs if terms.seats_per_match == 2 else _build_tables  # noqa: PLR2004
        tables = build(order, scores, planner)
        name = name_stage(scores.rounds + 1, [table[0] for table in tables if len(table) == 1])
        for table in tables:
            if len(table) > 1:
                seats = planner.choose_order(table)
                for game in range(self.games):
                    planner.add(rotate_seats(seats, game), name)
        return planner.seatings

    def ranking(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[tuple[Id, float]]:
        """Return the field with its points, the best first.

        Ties are broken by the sum of the opponents' points (Buchholz, FIDE handbook C.07).
        """
        scores = SwissScores.of(past)
        order = sorted(
            field,
            key=lambda entrant: (scores.points[entrant], scores.compute_buchholz(entrant)),
            reverse=True,
        )
        return [(entrant, scores.points[entrant]) for entrant in order]

    def _count_rounds(self, entrants: int, terms: FormatTerms) -> int:
        """Return the number of rounds."""
        entrants = max(entrants, terms.first)
        most = entrants - 1 if terms.seats_per_match == 2 else entrants  # noqa: PLR2004
        return self.rounds or min(ceil(log2(entrants)) + 1, most)


def _build_pairs(
    order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner
) -> list[list[Id]]:
    """Return the pairs of a round, and possibly a bye."""
    costs = _compute_costs(order, scores, planner)
    if len(order) % 2:
        costs = np.pad(costs, (0, 1))
        costs[-1, :-1] = costs[:-1, -1] = _compute_bye_costs(order, scores)
    return [[order[index] for index in two if index < len(order)] for two in find_best_pairs(costs)]


def _build_tables(
    order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner
) -> list[list[Id]]:
    """Return the tables of a round, and a bye for each entrant without a table."""
    size = planner.terms.seats_per_match
    alone = np.argsort(_compute_bye_costs(order, scores), stable=True)[: len(order) % size].tolist()
    seated = [index for number, index in enumerate(order) if number not in alone]
    tables = find_best_tables(_compute_costs(seated, scores, planner), size)
    return [[seated[index] for index in table] for table in tables] + [
        [order[index]] for index in alone
    ]


def _compute_costs(order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner) -> Costs:
    """Return the cost of each pairing."""
    points = np.array([scores.points[entrant] for entrant in order])
    met = planner.past.met
    rematches = np.array(
        [[met[make_pair(entrant, other)] for other in order] for entrant in order], float
    )
    lots = np.array([[planner.draw.random() for _ in order] for _ in order])
    costs = np.subtract.outer(points, points) ** 2 + _compute_rematch_cost(points) * rematches
    costs += (lots + lots.T) / 1e4
    np.fill_diagonal(costs, 0)
    return np.asarray(costs)


def _compute_bye_costs(order: Sequence[Id], scores: SwissScores) -> Costs:
    """Return the cost of a bye for each entrant: the fewer points, the lower."""
    points = np.array([scores.points[entrant] for entrant in order])
    byes = np.array([scores.byes[entrant] for entrant in order])
    return np.asarray(
        len(order) * (points - points.min()) ** 2 + _compute_rematch_cost(points) * byes
    )


def _compute_rematch_cost(points: Costs) -> float:
    """Return the cost of a rematch or a second bye, which exceeds all differences of points."""
    return 1 + 2 * len(points) * float(np.ptp(points)) ** 2
