"""What bids cost against the exact solution, as a part of a bot's playing style.

Only matches that a finished table in the user's cache covers are observed: nothing is solved for
a page. A bid costs what it gives away against an opponent who plays the solution from there on,
in points; a bid that the solution makes, too, costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from arena import Insights, Observation, Statistic, UserError
from arena_gops import GAME, Bids, Gops, Prize
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.positions import Solution, SolverPosition, find_equilibrium
from arena_gops_solver.solver import SolvedGame
from arena_gops_solver.table_cache import find_largest_solution

COST = "cost"
COST_BY_PRIZE = "cost_by_prize"
STATISTICS = (
    Statistic(COST, "Cost of a bid against the exact solution", "points"),
    Statistic(COST_BY_PRIZE, "Cost of a bid against the exact solution", "points", across="prize"),
)


def build_insights() -> list[Insights]:
    """Return the insights that the largest solved game of the cache allows, if there is one.

    Once a larger one is solved, the matches of a tournament are observed anew.
    """
    solved = find_largest_solution("points")
    if solved is None:
        return []
    version = solved.table.kind.cards
    return [Insights(STATISTICS, partial(observe_costs, solved), GAME.name, version)]


def observe_costs(solved: SolvedGame, lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the cost of each bid of a match, if the game is solved."""
    try:
        place = _begin(solved, lines[0])
        yield from _observe_rounds(solved, place, lines)
    except UserError:  # another variant, or a damaged table
        return


def _begin(solved: SolvedGame, header: Mapping[str, Any]) -> SolverPosition:
    variant = GAME.read_variant(header["variant"])
    assert isinstance(variant, Gops)
    check_solvable(variant, len(header["seats"]))
    if variant.cards > solved.table.kind.cards:
        raise UserError(f"GOPS with {variant.cards} cards is not solved")
    return SolverPosition(variant.suit, variant.suit, variant.suit)


def _observe_rounds(
    solved: Solution, place: SolverPosition, lines: Sequence[Mapping[str, Any]]
) -> Iterator[Observation]:
    prize, own = 0, [False, False]  # own: did the player itself bid last?
    for line in lines[1:]:
        if "answer" in line:
            own[line["from"]] = not line["fallback"]
        elif event := line.get("event"):
            if event["tell"] == Prize.__name__:
                prize = event["card"]
            elif event["tell"] == Bids.__name__:
                bids = tuple(event["cards"])
                for seat, cost in enumerate(compute_costs(solved, place, prize, bids)):
                    if own[seat]:
                        yield Observation(seat, COST, cost)
                        yield Observation(seat, COST_BY_PRIZE, cost, prize)
                place = place.after(prize, *bids)


def compute_costs(
    solved: Solution, place: SolverPosition, prize: int, bids: tuple[int, int]
) -> tuple[float, float]:
    """Return the cost of both bids in points; rounding does not make it less than 0."""
    stage = solved.build_stage(place, prize)
    solution = find_equilibrium(stage)
    row, column = place.mine.index(bids[0]), place.theirs.index(bids[1])
    mine = solution.value - solution.worth[row]
    theirs = solution.weights @ stage[:, column] - solution.value
    return max(0.0, float(mine)), max(0.0, float(theirs))
