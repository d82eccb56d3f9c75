"""Hints for a player of GOPS: the bids of the exact solution, and the value of the position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Hint, HintedAnswer, HintSource, InformationState, UserError
from arena_gops import Bids, Gops, Prize
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.positions import Solution, SolverPosition, find_equilibrium
from arena_gops_solver.solver import choose_subgame_size, solve_from
from arena_gops_solver.table_cache import find_finished_solution

OBJECTIVES = ("win", "points")  # the former where the whole game is solved for it
PACE = 10  # so that a hint takes this fraction of the seconds of an analysis: less than one
CERTAIN = 0.9995  # the probability of a bid that is written as 100 %


def compute_hint(state: InformationState) -> Hint:
    """Return the bids of the solution; raise UserError while too many cards are left for one."""
    place, prize = find_position(state)
    solved = _find_solution(place, state.greeting.variant.cards)
    strategy = find_equilibrium(solved.build_stage(place, prize))
    weights, worth = strategy.weights.tolist(), strategy.worth.tolist()
    ahead, unit, describe = (
        (place.difference, "points", _describe_points)
        if solved.points
        else (0, "wins", _describe_wins)
    )
    bids = tuple(
        HintedAnswer(card, share, f"{ahead + value:+z.2f} {unit}")
        for card, share, value in zip(place.mine, weights, worth, strict=True)
    )
    return Hint(f"{_describe_bids(weights)} {describe(ahead + float(strategy.value))}", bids)


def find_position(state: InformationState) -> tuple[SolverPosition, int]:
    """Return the position of a seat, as it was told, and the prize that is up.

    Nothing of a position of GOPS is hidden but the other bid for this prize.
    """
    seat, place = state.seat, SolverPosition(*[state.greeting.variant.suit] * 3)
    prize = 0
    for event in state.events:
        if isinstance(event, Prize):
            prize = event.card
        elif isinstance(event, Bids):
            place = place.after(prize, event.cards[seat], event.cards[1 - seat])
    return place, prize


def check_support(variant: Any, seats: int) -> None:
    """Raise UserError for a variant without a solution."""
    assert isinstance(variant, Gops)
    check_solvable(variant, seats)


def _find_solution(place: SolverPosition, cards: int) -> Solution:
    for objective in OBJECTIVES:
        if found := find_finished_solution(objective, cards):
            return found
    most = choose_subgame_size("points", PACE)
    if len(place.mine) > most:
        raise UserError(
            f"hints begin when {most} cards are left", command=f"arena gops solve --cards {cards}"
        )
    return solve_from(place, "points", 0)


def _describe_bids(weights: Sequence[float]) -> str:
    if max(weights) >= CERTAIN:
        return "One bid is best: against best play, no other card is worth more."
    return "Draw your bid with these probabilities, so that nobody can gain by guessing it."


def _describe_wins(value: float) -> str:
    games, side = f"{100 * abs(value):.1f}", "more" if value > 0 else "fewer"
    if games == "0.0":
        return "If both play the solution to win, expect as many wins as losses."
    return f"If both play the solution to win, expect {games} {side} wins than losses in 100 games."


def _describe_points(ahead: float) -> str:
    points, side = f"{abs(ahead):.2f}", "ahead" if ahead > 0 else "behind"
    if points == "0.00":
        return "If both play the solution, expect a tie."
    return f"If both play the solution, expect to end {points} points {side}."


HINTS = HintSource("gops", "The exact solution", compute_hint, check_support)
