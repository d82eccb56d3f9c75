"""What holds for every solution, and first bids that others have published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena import UserError
from arena_gops_solver import (
    Parallelism,
    SolvedGame,
    SolverPosition,
    TableSpec,
    find_equilibrium,
    solve,
)
from arena_gops_solver._native import list_lanes
from arena_gops_solver.positions import Strategy
from tests.support.reference_solver import ReferenceSolver, compute_game_value

Solve = Callable[..., SolvedGame]
Numbers = NDArray[np.float64]

CARDS = 7
quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def drawn(draw: Callable[..., Any]) -> SolverPosition:
    held = draw(st.integers(1, CARDS - 1))
    cards = st.permutations(range(1, CARDS + 1)).map(lambda order: order[:held])
    prizes = draw(cards)
    gone = CARDS * (CARDS + 1) // 2 - sum(prizes)
    return SolverPosition(draw(cards), draw(cards), prizes, draw(st.integers(-gone, gone)))


@pytest.mark.parametrize("objective", ["points", "win"])
@given(place=drawn())
@quick
def test_what_i_win_they_lose(solved: Solve, objective: str, place: SolverPosition) -> None:
    """A position seen from the other side has the opposite value."""
    table = solved(CARDS, objective)
    assert table.compute_value(place) == -table.compute_value(place.mirror())


@pytest.mark.parametrize("objective", ["points", "win"])
@given(place=drawn(), seed=st.integers(0, 99))
@quick
def test_a_higher_card_does_not_hurt(
    solved: Solve, objective: str, place: SolverPosition, seed: int
) -> None:
    """The value does not fall when one of my cards is exchanged for a higher one."""
    low = Random(seed).choice(place.mine)
    higher = [card for card in range(low + 1, CARDS + 1) if card not in place.mine]
    for card in higher:
        better = evolve(place, mine=[*(c for c in place.mine if c != low), card])
        table = solved(CARDS, objective)
        assert table.compute_value(better) >= table.compute_value(place) - 1e-12


@given(place=drawn())
@quick
def test_a_lead_does_not_hurt(solved: Solve, place: SolverPosition) -> None:
    """To win, the value does not fall with the difference so far."""
    table = solved(CARDS, "win")
    gone = CARDS * (CARDS + 1) // 2 - sum(place.prizes)
    values = [table.compute_value(evolve(place, difference=d)) for d in range(-gone, gone + 1)]
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("lanes", list_lanes())
def test_every_build_of_the_kernels_gives_the_same(
    solved: Solve, tmp_path: Path, objective: str, lanes: int
) -> None:
    """However many numbers go side by side, the values agree to the twelfth digit."""
    kind = TableSpec(CARDS, objective)
    other = solve(kind, tmp_path / "table", Parallelism(lanes=lanes))
    table = solved(CARDS, objective).table
    for held in range(1, CARDS):
        assert np.abs(table.layer(held).values - other.layer(held).values).max() < 1e-12


@pytest.mark.parametrize("objective", ["points", "win"])
def test_threads_change_nothing(tmp_path: Path, objective: str) -> None:
    """One thread and three write the same bytes."""
    kind = TableSpec(CARDS, objective)
    for threads in (1, 3):
        solve(kind, tmp_path / str(threads), Parallelism(threads=threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize(("objective", "error"), [("points", 2e-5), ("win", 5e-7)])
def test_single_precision_costs_as_much_as_is_said(
    solved: Solve, tmp_path: Path, objective: str, error: float
) -> None:
    """Numbers of 4 bytes are as near to those of 8 as the manual says."""
    kind = TableSpec(CARDS, objective, "float32")
    first, other = solved(CARDS, objective).table, solve(kind, tmp_path / "table")
    for held in range(1, CARDS):
        near = np.abs(first.layer(held).values - other.layer(held).values)
        assert near.max() < error


def test_sixteen_bits_cost_as_much_as_is_said(solved: Solve, tmp_path: Path) -> None:
    """No number is off by more than half a step, and what single precision adds in each layer."""
    game = SolvedGame(solve(TableSpec(CARDS, "win", "int16"), tmp_path / "table"))
    first, other = solved(CARDS, "win").table, game.table
    for held in range(1, CARDS):
        apart = np.abs(first.layer(held).values - other.layer(held).values / 32767)
        assert apart.max() < 0.5 / 32767 + held * 2**-25
    for place in draw_places(50):
        assert game.compute_value(place) == -game.compute_value(place.mirror())
        near = solved(CARDS, "win").compute_value(place)
        assert game.compute_value(place) == pytest.approx(near, abs=1.6e-5)
        for prize in place.prizes:
            stage = solved(CARDS, "win").build_stage(place, prize)
            assert game.build_stage(place, prize) == pytest.approx(stage, abs=1.6e-5)


@pytest.mark.parametrize("objective", ["points", "win"])
def test_what_a_table_lacks_is_solved_when_it_is_asked(
    solved: Solve, tmp_path: Path, objective: str
) -> None:
    """A table of the layers for large hands answers as the whole one."""
    game = SolvedGame(solve(TableSpec(CARDS, objective, lowest=4), tmp_path / "table"))
    whole = solved(CARDS, objective)
    assert game.table.path.stat().st_size < whole.table.path.stat().st_size
    for place in draw_places(50):
        value = whole.compute_value(place)
        assert game.compute_value(place) == pytest.approx(value, abs=1e-12)
        for prize in place.prizes:
            stage = whole.build_stage(place, prize)
            assert game.build_stage(place, prize) == pytest.approx(stage, abs=1e-12)


def draw_places(count: int) -> Iterator[SolverPosition]:
    random = Random(1)
    for number in range(count):
        held = 1 + number % (CARDS - 1)
        mine, theirs, prizes = (random.sample(range(1, CARDS + 1), held) for _ in range(3))
        gone = CARDS * (CARDS + 1) // 2 - sum(prizes)
        yield SolverPosition(mine, theirs, prizes, random.randint(-gone, gone))


@pytest.mark.parametrize(
    "place",
    [
        SolverPosition([1], [2], [8]),
        SolverPosition([1, 2], [2], [3]),
        SolverPosition([1, 1], [1, 2], [1, 2]),
        SolverPosition([0], [1], [1]),
        SolverPosition([1], [2], [7], 22),
    ],
)
def test_what_is_no_position_is_refused(solved: Solve, place: SolverPosition) -> None:
    """Cards there are none of, hands of other sizes, and leads that cannot be are refused."""
    with pytest.raises(UserError):
        solved(CARDS, "win").compute_value(place)


def test_a_stage_needs_a_prize_that_is_left(solved: Solve) -> None:
    """The stage of a prize that is gone is refused."""
    with pytest.raises(UserError, match="prize: 4 is not among the prizes 3"):
        solved(CARDS).build_stage(SolverPosition([1], [2], [3]), 4)


HARD = np.array(
    [
        [1.0, -0.8059969932193276, -0.7892177186499503, -0.3333333333333335, -0.3333333333333335],
        [1.0, 0.4489709551330976, -0.8059969932193276, -0.3333333333333337, -0.3333333333333337],
        [1.0, 1.0, 1.0, 0.20639260678222726, -1.0],
        [-1.0, -1.0, -0.7756481798838677, -0.3830232781631471, -0.10815731795929584],
    ]
)


@pytest.mark.parametrize(
    ("matrix", "value"), [(HARD, -0.34972623259377045), (-HARD.T, 0.34972623259377045)]
)
def test_what_is_level_but_for_rounding_is_level(matrix: Numbers, value: float) -> None:
    """A stage of 10 cards, some entries of which differ by 2e-16: its value as fractions give it."""
    found = find_equilibrium(matrix)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.weights @ matrix).min() == pytest.approx(value, abs=1e-8)
    assert (matrix @ found.theirs).max() == pytest.approx(value, abs=1e-8)


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


@pytest.mark.parametrize(
    "cards", [pytest.param(cards, marks=[pytest.mark.release] * (cards > 8)) for cards in WIN]
)
def test_first_bids_to_win_are_the_published_ones(solved: Solve, cards: int) -> None:
    """The first bid for the highest prize of 3 to 9 cards is the published mixture."""
    right = [WIN[cards].get(bid, 0) for bid in range(1, cards + 1)]
    near = 2e-6 if cards < 9 else 1e-4
    assert first_bid(solved(cards, "win"), cards).weights == pytest.approx(right, abs=near)


@pytest.mark.release
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


def places(cards: int, held: int, win: bool) -> Iterator[SolverPosition]:
    choices = list(combinations(range(1, cards + 1), held))
    for mine, theirs, prizes in product(choices, repeat=3):
        gone = cards * (cards + 1) // 2 - sum(prizes) if win else 0
        yield from (SolverPosition(mine, theirs, prizes, d) for d in range(-gone, gone + 1))


def wrong(solved: SolvedGame, reference: ReferenceSolver, place: SolverPosition) -> float:
    right = reference.compute_value(place.mine, place.theirs, place.prizes, place.difference)
    return abs(solved.compute_value(place) - right)


def drawn_positions(cards: int, held: int, win: bool, random: Random) -> SolverPosition:
    mine, theirs, prizes = (random.sample(range(1, cards + 1), held) for _ in range(3))
    gone = cards * (cards + 1) // 2 - sum(prizes) if win else 0
    return SolverPosition(mine, theirs, prizes, random.randint(-gone, gone))


@pytest.mark.parametrize(
    ("cards", "objective"),
    [
        *((2, "points"), (3, "points"), (2, "win")),
        pytest.param(3, "win", marks=pytest.mark.release),
        pytest.param(4, "points", marks=pytest.mark.release),
    ],
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
    """So do positions of up to three cards a hand that are drawn from larger games."""
    table, reference = solved(cards, objective), ReferenceSolver(win=objective == "win")
    random = Random(cards)
    some = [
        drawn_positions(cards, held, objective == "win", random)
        for held in (1, 2, 3)
        for _ in range(2)
    ]
    assert max(wrong(table, reference, place) for place in some) < 1e-9


@pytest.mark.parametrize(("cards", "objective"), [(9, "points"), (8, "win")])
def test_on_every_layer_a_value_is_the_mean_of_its_stages(
    solved: Solve, cards: int, objective: str
) -> None:
    """A value is the mean over the prizes of what linear programs give for the stages."""
    table, random = solved(cards, objective), Random(1)
    for held in [*range(1, cards)] * 3:
        place = drawn_positions(cards, held, objective == "win", random)
        stages = [compute_game_value(table.build_stage(place, prize)) for prize in place.prizes]
        assert table.compute_value(place) == pytest.approx(np.mean(stages), abs=1e-9)
