"""Hints for a player of GOPS: the bids of the exact solution, and the value of the position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Hint, HintedAnswer, HintSource, InformationState, UserError
from arena_gops import Bids, Gops, Prize
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.positions import Solution, SolverPosition, Strategy, find_equilibrium
from arena_gops_solver.solver import choose_subgame_size, solve_from
from arena_gops_solver.table_cache import find_finished_solution

BY = "points"
PACE = 10  # so that a hint takes this fraction of the seconds of an analysis: less than one
CERTAIN = 0.9995  # the probability of a bid that is written as 100 %


def compute_hint(state: InformationState) -> Hint:
    """Return the bids of the solution; raise UserError while too many cards are left for one."""
    place, prize = find_position(state)
    strategy = _find_strategy(place, prize, state.greeting.variant.cards)
    ahead = place.difference + float(strategy.value)
    weights, worth = strategy.weights.tolist(), strategy.worth.tolist()
    bids = tuple(
        HintedAnswer(card, share, f"{place.difference + value:+z.2f} points")
        for card, share, value in zip(place.mine, weights, worth, strict=True)
    )
    return Hint(f"{_describe_bids(weights)} {_describe_value(ahead)}", bids)


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


def _find_strategy(place: SolverPosition, prize: int, cards: int) -> Strategy:
    solved = find_finished_solution(BY, cards) or _solve_rest(place, cards)
    return find_equilibrium(solved.build_stage(place, prize))


def _solve_rest(place: SolverPosition, cards: int) -> Solution:
    most = choose_subgame_size(BY, PACE)
    if len(place.mine) > most:
        raise UserError(
            f"hints begin when {most} cards are left; for hints from the first card on,"
            f" the host of this page runs: arena gops solve --cards {cards}"
        )
    return solve_from(place, BY, 0)


def _describe_bids(weights: Sequence[float]) -> str:
    if max(weights) >= CERTAIN:
        return "One bid is best: against best play, no other card is worth more."
    return "Draw your bid with these probabilities, so that nobody can gain by guessing it."


def _describe_value(ahead: float) -> str:
    points, side = f"{abs(ahead):.2f}", "ahead" if ahead > 0 else "behind"
    if points == "0.00":
        return "If both play the solution, expect a tie."
    return f"If both play the solution, expect to end {points} points {side}."


HINTS = HintSource("gops", "The exact solution", compute_hint, check_support)
