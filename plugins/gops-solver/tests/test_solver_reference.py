from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from arena_gops_solver import SolvedGame, SolverPosition
from tests.support.reference_solver import ReferenceSolver, compute_game_value

Solve = Callable[..., SolvedGame]


def places(cards: int, held: int, win: bool) -> Iterator[SolverPosition]:
    choices = list(combinations(range(1, cards + 1), held))
    for mine, theirs, prizes in product(choices, repeat=3):
        gone = cards * (cards + 1) // 2 - sum(prizes) if win else 0
        yield from (SolverPosition(mine, theirs, prizes, d) for d in range(-gone, gone + 1))


def wrong(solved: SolvedGame, reference: ReferenceSolver, place: SolverPosition) -> float:
    right = reference.compute_value(place.mine, place.theirs, place.prizes, place.difference)
    return abs(solved.compute_value(place) - right)


def drawn(cards: int, held: int, win: bool, random: Random) -> SolverPosition:
    mine, theirs, prizes = (random.sample(range(1, cards + 1), held) for _ in range(3))
    gone = cards * (cards + 1) // 2 - sum(prizes) if win else 0
    return SolverPosition(mine, theirs, prizes, random.randint(-gone, gone))


@pytest.mark.parametrize(
    ("cards", "objective"), [(2, "points"), (3, "points"), (4, "points"), (2, "win"), (3, "win")]
)
def test_every_position_of_a_small_game_has_the_value_of_the_recursion(
    solved: Solve, cards: int, objective: str
) -> None:
    """The table agrees with the recursion over hands at every position there is."""
    table, reference = solved(cards, objective), ReferenceSolver(win=objective == "win")
    every = (p for held in range(cards + 1) for p in places(cards, held, objective == "win"))
    assert max(wrong(table, reference, place) for place in every) < 1e-9


@pytest.mark.parametrize(("cards", "objective"), [(6, "points"), (6, "win")])
def test_drawn_positions_have_the_value_of_the_recursion(
    solved: Solve, cards: int, objective: str
) -> None:
    """So do positions of up to three cards a hand drawn from larger games."""
    table, reference = solved(cards, objective), ReferenceSolver(win=objective == "win")
    random = Random(cards)
    some = [drawn(cards, held, objective == "win", random) for held in (1, 2, 3) for _ in range(3)]
    assert max(wrong(table, reference, place) for place in some) < 1e-9


@pytest.mark.parametrize(("cards", "objective"), [(9, "points"), (8, "win")])
def test_on_every_layer_a_value_is_the_mean_of_its_stages(
    solved: Solve, cards: int, objective: str
) -> None:
    """A value is the mean over the prizes of what linear programs give for the stages."""
    table, random = solved(cards, objective), Random(1)
    for held in [*range(1, cards)] * 3:
        place = drawn(cards, held, objective == "win", random)
        stages = [compute_game_value(table.build_stage(place, prize)) for prize in place.prizes]
        assert table.compute_value(place) == pytest.approx(np.mean(stages), abs=1e-9)
