from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from arena_gops_solver import SolvedGame, SolverPosition, find_equilibrium
from arena_gops_solver.positions import Strategy

Solve = Callable[..., SolvedGame]

# M. Zacharecki's (5 cards, exact) and K. Jablonka's (6 cards, to 4 digits) first bids, in points.
POINTS = {
    (4, 1): "1 0 0 0",
    (4, 2): ".337093 .136025 .526882 0",
    (4, 3): ".268731 0 .513981 .217288",
    (4, 4): "0 0 0 1",
    (5, 1): ".046989 .832726 .120285 0 0",
    (5, 2): ".185460 0 .737491 .077050 0",
    (5, 3): ".118170 .118799 0 .763031 0",
    (5, 4): ".122591 .073468 .191498 .204337 .408106",
    (5, 5): ".112303 .024103 0 0 .863594",
    (6, 1): ".164996 .577363 .257641 0 0 0",
    (6, 2): "0 .325337 .181407 .493256 0 0",
    (6, 3): ".065466 .131451 .169971 .290706 .342408 0",
    (6, 4): ".098011 .045825 .173400 0 .608143 .074622",
    (6, 5): ".027263 .086449 0 .346134 .020197 .519957",
    (6, 6): "0 .138337 .006242 0 0 .855422",
}
# The GOPSsolver project's first bids for the highest prize, to win.
WIN: dict[int, dict[int, float]] = {
    3: {3: 1},
    4: {4: 1},
    5: {1: 0.144423, 2: 0.015354, 5: 0.840223},
    6: {2: 0.176829, 3: 0.007871, 6: 0.815301},
    7: {1: 0.012089, 3: 0.185794, 7: 0.802117},
    8: {2: 0.087591, 3: 0.009443, 4: 0.118850, 5: 0.054357, 8: 0.729759},
    9: {1: 0.0308, 2: 0.0047, 3: 0.0714, 4: 0.0280, 5: 0.1051, 6: 0.0612, 9: 0.6989},
}


def first_bid(solved: SolvedGame, prize: int) -> Strategy:
    suit = range(1, solved.table.kind.cards + 1)
    return find_equilibrium(solved.build_stage(SolverPosition(suit, suit, suit), prize))


@pytest.mark.parametrize(("cards", "prize"), POINTS)
def test_first_bids_in_points_are_the_published_ones(solved: Solve, cards: int, prize: int) -> None:
    """The first bid for each prize of 4, 5 and 6 cards is the published mixture."""
    right = [float(weight) for weight in POINTS[cards, prize].split()]
    assert first_bid(solved(cards), prize).weights == pytest.approx(right, abs=2e-6)


@pytest.mark.parametrize("cards", WIN)
def test_first_bids_to_win_are_the_published_ones(solved: Solve, cards: int) -> None:
    """The first bid for the highest prize of 3 to 9 cards is the published mixture."""
    right = [WIN[cards].get(bid, 0) for bid in range(1, cards + 1)]
    near = 2e-6 if cards < 9 else 1e-4
    assert first_bid(solved(cards, "win"), cards).weights == pytest.approx(right, abs=near)


def test_what_each_first_bid_is_worth_is_what_was_published(solved: Solve) -> None:
    """For the lowest of 9 prizes the bids outside of the support lose as much as was published."""
    first = first_bid(solved(9, "win"), 1)
    assert first.weights[:3] == pytest.approx([0.338, 0.175, 0.487], abs=1e-3)
    lost = [-0.0472, -0.1945, -0.3597, -0.5399, -0.7214, -0.8859]
    assert first.worth[3:] == pytest.approx(lost, abs=1e-4)


@pytest.mark.parametrize(("objective", "least"), [("points", 5 / 9), ("win", 1 / 2)])
def test_of_several_equilibria_one_with_the_largest_support_is_given(
    solved: Solve, objective: str, least: float
) -> None:
    """Of 3 cards for the prize 2 any weight from `least` to 1 on bid 2 is right: not 1 is given."""
    first = first_bid(solved(3, objective), 2)
    assert np.flatnonzero(first.weights).tolist() == [1, 2]
    assert least - 1e-6 < first.weights[1] < 1
