"""Swiss system: rounds between entrants with equal points, without rematches.

The pairing of a round is the best partition of the field by the costs of pairs. Pairs are a perfect
matching of minimum cost in a complete graph, found exactly by integer programming (Edmonds, Journal
of Research of the National Bureau of Standards 69B, 1965, for the problem). Larger tables start as
slices of the ordered field, and are improved until no exchange of two entrants helps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import ceil, log2
from random import Random
from statistics import fmean
from typing import ClassVar

import numpy as np
from attrs import field as parameter
from attrs import frozen, validators
from numpy.typing import NDArray

from arena.rules import UserError
from arena.tournament.deals import Deal, PastMatches, PlayedMatch, make_pair, rotate_seats
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatStanding, FormatTerms
from arena.tournament.formats.seating import SeatingPlanner, check_field, score_match
from arena.tournament.places import rank_entrants

MAX_PAIR_DISTANCE = 30  # in places of the order; for large fields only

Costs = NDArray[np.float64]  # (n, n), symmetric


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
    needs_opponents: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if `matches` is set."""
        check_field(field, terms)
        if terms.matches is not None:
            raise UserError("swiss: set `rounds` and `games` instead of `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return the next round."""
        scores = SwissScores.of(past)
        planned = self._count_rounds(len(field), terms)
        if len(field) < terms.entrants_per_match or scores.rounds >= planned:
            return ()
        lots = draw.sample(field, len(field))
        order = sorted(lots, key=scores.points.__getitem__, reverse=True)
        planner = SeatingPlanner.after(past, terms, draw)
        build = _build_pairs if terms.is_pairwise else _build_tables
        tables = build(order, scores, planner)
        number, byes = scores.rounds + 1, [table[0] for table in tables if len(table) == 1]
        name, state = name_stage(number, byes), (number, *byes)
        for table in tables:
            if len(table) > 1:
                seats = planner.choose_order(table)
                for game in range(self.games):
                    planner.add(rotate_seats(seats, game), name, state)
        return planner.deals

    def ranking(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[FormatStanding]:
        """Return the field with its points, the best first.

        Ties are broken by the sum of the opponents' points (Buchholz, FIDE handbook C.07).
        Entrants that are equal in both share a place.
        """
        scores = SwissScores.of(past)
        keys = {
            entrant: (scores.points[entrant], scores.compute_buchholz(entrant)) for entrant in field
        }
        return [
            FormatStanding(place, entrant, f"{scores.points[entrant]:g}")
            for place, entrant in rank_entrants(keys)
        ]

    def _count_rounds(self, field_size: int, terms: FormatTerms) -> int:
        """Return the number of rounds."""
        field_size = max(field_size, terms.initial_entrants)
        most = field_size - 1 if terms.is_pairwise else field_size
        return self.rounds or min(ceil(log2(field_size)) + 1, most)


def name_stage(number: int, byes: Sequence[Id]) -> str:
    """Return the name of a round, including the entrants with a bye.

    >>> name_stage(3, ["a@1", "b@1"])
    'round 3, without a@1 b@1'
    """
    return f"round {number}" + (f", without {' '.join(byes)}" if byes else "")


@frozen
class SwissScores:
    """The points of all entrants after some rounds; missing entrants have none."""

    rounds: int
    points: defaultdict[Id, float]
    byes: Counter[Id]
    opponents: defaultdict[Id, set[Id]]

    @classmethod
    def of(cls, past: PastMatches) -> SwissScores:
        """Count the results of the rounds played so far."""
        rounds = {number: byes for number, *byes in (match.deal.state for match in past.results)}
        byes = Counter(entrant for without in rounds.values() for entrant in without)
        points = _sum_points(past.results, byes)
        return cls(max(rounds, default=0), points, byes, _collect_opponents(past.results))

    def compute_buchholz(self, entrant: Id) -> float:
        """Return the Buchholz score: the sum of the points of an entrant's opponents."""
        return sum(self.points[other] for other in sorted(self.opponents[entrant]))


def _sum_points(results: Iterable[PlayedMatch], byes: Counter[Id]) -> defaultdict[Id, float]:
    """Add up each round's mean, and the byes."""
    points: defaultdict[tuple[Id, int], list[float]] = defaultdict(list)
    for match in results:
        for entrant, some in zip(match.seats, score_match(match), strict=True):
            points[entrant, match.deal.state[0]].append(some)
    total: defaultdict[Id, float] = defaultdict(float, byes)
    for (entrant, _), matches in points.items():
        total[entrant] += fmean(matches)
    return total


def _collect_opponents(results: Iterable[PlayedMatch]) -> defaultdict[Id, set[Id]]:
    opponents: defaultdict[Id, set[Id]] = defaultdict(set)
    for match in results:
        for entrant in match.seats:
            opponents[entrant].update({*match.seats} - {entrant})
    return opponents


def _build_pairs(
    order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner
) -> list[list[Id]]:
    """Return the pairs of a round, and possibly a bye."""
    costs = _compute_costs(order, scores, planner)
    if len(order) % 2:
        costs = np.pad(costs, (0, 1))
        costs[-1, :-1] = costs[:-1, -1] = _compute_bye_costs(order, scores, planner)
    return [[order[index] for index in two if index < len(order)] for two in find_best_pairs(costs)]


def _build_tables(
    order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner
) -> list[list[Id]]:
    """Return the tables of a round, and a bye for each entrant without a table."""
    size = planner.terms.entrants_per_match
    alone = np.argsort(_compute_bye_costs(order, scores, planner), stable=True)[
        : len(order) % size
    ].tolist()
    players = [index for number, index in enumerate(order) if number not in alone]
    tables = find_best_tables(_compute_costs(players, scores, planner), size)
    return [[players[index] for index in table] for table in tables] + [
        [order[index]] for index in alone
    ]


def _compute_costs(order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner) -> Costs:
    """Return the cost of each pairing."""
    points = np.array([scores.points[entrant] for entrant in order])
    meetings = planner.past.meetings
    rematches = np.array(
        [[meetings[make_pair(entrant, other)] for other in order] for entrant in order], float
    )
    lots = np.array([[planner.draw.random() for _ in order] for _ in order])
    costs = np.subtract.outer(points, points) ** 2 + _compute_rematch_cost(points) * rematches
    costs += (lots + lots.T) / 1e4
    np.fill_diagonal(costs, 0)
    return np.asarray(costs)


def _compute_bye_costs(order: Sequence[Id], scores: SwissScores, planner: SeatingPlanner) -> Costs:
    """Return the cost of a bye for each entrant: the fewer points, the lower.

    A second bye costs more than all rematches of a round.
    """
    points = np.array([scores.points[entrant] for entrant in order])
    byes = np.array([scores.byes[entrant] for entrant in order])
    most = max(
        (planner.past.meetings[make_pair(*pair)] for pair in combinations(order, 2)), default=0
    )
    second_bye = _compute_rematch_cost(points) * (1 + len(order) * most)
    return np.asarray(len(order) * (points - points.min()) ** 2 + second_bye * (byes - byes.min()))


def _compute_rematch_cost(points: Costs) -> float:
    """Return the cost of a rematch, which exceeds all differences of points."""
    return 1 + 2 * len(points) * float(np.ptp(points)) ** 2


def find_best_pairs(costs: Costs) -> list[tuple[int, int]]:
    """Return the pairs of a field of even size with the lowest total cost.

    Pairs of neighbours in the field's order are cheap, so in large fields only these are
    considered.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    size = len(costs)
    first, second = np.triu_indices(size, 1)
    near = (second - first <= MAX_PAIR_DISTANCE) | (size <= 2 * MAX_PAIR_DISTANCE)
    first, second = first[near], second[near]
    edges = np.arange(len(first))
    ends = csr_array(
        (np.ones(2 * len(first)), (np.r_[first, second], np.r_[edges, edges])), (size, len(first))
    )
    solution = milp(
        costs[first, second],
        constraints=LinearConstraint(ends, 1, 1),
        integrality=np.ones(len(first), int),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    assert solution.success, solution.message
    is_pair = solution.x > 0.5  # noqa: PLR2004
    return [*zip(first[is_pair].tolist(), second[is_pair].tolist(), strict=True)]


def find_best_tables(costs: Costs, table: int) -> list[list[int]]:
    """Return groups of `table` entrants whose cost no exchange of two members lowers."""
    tables = [[*range(start, start + table)] for start in range(0, len(costs), table)]
    better = True
    while better:
        better = False
        for left, right in combinations(tables, 2):
            for seat, other_seat in product(range(table), repeat=2):
                better |= _exchange_if_cheaper(left, seat, right, other_seat, costs)
    return tables


def _exchange_if_cheaper(
    left: list[int], seat: int, right: list[int], other_seat: int, costs: Costs
) -> bool:
    """Exchange two members if that is cheaper; the cost of an entrant with itself is zero."""
    mover, partner = left[seat], right[other_seat]
    change = costs[partner] - costs[mover]
    gain = change[right].sum() - change[left].sum() + 2 * costs[mover, partner]
    if gain <= 1e-9:  # noqa: PLR2004
        return False
    left[seat], right[other_seat] = partner, mover
    return True
