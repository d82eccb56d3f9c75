"""Other exact methods for GOPS: the recursion by the book, and those that OpenSpiel has.

All are general, or slow on purpose: they stand for what it takes without a solver for this game.
What they find after a first prize and bids is compared with our tables, as the value of the whole
game is 0 by symmetry, and proves nothing. OpenSpiel's sequence form is not among them: it takes the
strings of information states for perfect recall, and from 4 cards on those of GOPS with public bids
do not say in which order one bid, so it solves another game.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import product
from statistics import mean
from time import perf_counter
from typing import Any

from attrs import frozen

from arena_gops_solver import SolvedGame, SolverPosition, TableSpec

RETURNS = {"points": "point_difference", "win": "win_loss"}
SCALE = {"points": 2, "win": 1}  # OpenSpiel's points are those above the mean: half the difference
EXACT = 1e-9

Round = tuple[int, int, int]
"""A prize, and two bids."""


@frozen
class MethodResult:
    """The seconds and peak bytes of a method, and its values after each first round."""

    seconds: float
    peak: int
    values: list[float]


@frozen
class Method:
    """A way to solve a game, for a number of cards."""

    name: str
    run: Callable[[TableSpec], MethodResult]
    plan: Mapping[str, Sequence[int]]
    needs: Sequence[str] = ()

    @property
    def missing(self) -> list[str]:
        """The packages that it needs and that are not installed."""
        return [package for package in self.needs if not find_spec(package)]


def create_start(cards: int) -> SolverPosition:
    """Return the first position of a game."""
    every = range(1, cards + 1)
    return SolverPosition(every, every, every)


def list_first_rounds(cards: int) -> list[Round]:
    """List all first prizes with all pairs of first bids."""
    every = range(1, cards + 1)
    return [*product(every, every, every)]


def read_values(solved: SolvedGame) -> list[float]:
    """Return the value of the game after each first round, as our table has it."""
    begin = create_start(solved.table.kind.cards)
    return [
        solved.compute_value(begin.after(*played)) for played in list_first_rounds(len(begin.mine))
    ]


def measure_peak() -> int:
    """Return the peak memory of this process, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def solve_by_recursion(kind: TableSpec) -> MethodResult:
    """Solve by the recursion over hands, with a linear program for each stage."""
    from arena_gops_solver.reference_solver import ReferenceSolver

    reference, begin = ReferenceSolver(win=kind.objective == "win"), create_start(kind.cards)

    def value(place: SolverPosition) -> float:
        return reference.compute_value(place.mine, place.theirs, place.prizes, place.difference)

    began = perf_counter()
    value(begin)
    seconds = perf_counter() - began
    return MethodResult(
        seconds,
        measure_peak(),
        [value(begin.after(*played)) for played in list_first_rounds(kind.cards)],
    )


def solve_by_value_iteration(kind: TableSpec) -> MethodResult:
    """Solve by OpenSpiel's value iteration over all states."""
    from open_spiel.python.algorithms.value_iteration import value_iteration

    game, began = load_goofspiel(kind), perf_counter()
    table = value_iteration(game, depth_limit=-1, threshold=EXACT)
    seconds = perf_counter() - began
    return MethodResult(
        seconds,
        measure_peak(),
        [_compute_rest(kind, table, played) for played in list_first_rounds(kind.cards)],
    )


def _compute_rest(kind: TableSpec, table: Mapping[str, float], played: Round) -> float:
    """Return the value of the rounds after a first round: the mean over the next prizes."""
    prize, *bids = (card - 1 for card in played)
    state = load_goofspiel(kind).new_initial_state()
    state.apply_action(prize)
    state.apply_actions(bids)
    value = mean(float(table[str(state.child(next_))]) for next_, _ in state.chance_outcomes())
    there = create_start(kind.cards).after(*played).difference if kind.objective == "points" else 0
    return SCALE[kind.objective] * value - there


def load_goofspiel(kind: TableSpec) -> Any:
    """Load the game from OpenSpiel, which plays the last card of each hand by itself."""
    import pyspiel

    return pyspiel.load_game("goofspiel", {
        "imp_info": False, "num_cards": kind.cards, "points_order": "random",
        "returns_type": RETURNS[kind.objective],
    })  # fmt: skip


METHODS = (
    Method("recursion with linprog", solve_by_recursion, {"points": (5, 6), "win": (5,)}),
    Method(
        "OpenSpiel, value iteration",
        solve_by_value_iteration,
        {"points": (4,), "win": (4,)},
        needs=("pyspiel", "cvxpy", "ecos"),
    ),
)
