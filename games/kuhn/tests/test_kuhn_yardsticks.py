"""The yardsticks of Kuhn poker: luck has mean 0, and best replies win what is known."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arena.host import HostConfig, ask_entrant, parse_entrant, play_series
from arena.plugins import AnswerShares, get_plugins
from arena.plugins.analysis import InformationState
from arena_kuhn import GAME, bet_probability
from arena_kuhn.hints import compute_payoff
from arena_kuhn.yardsticks import DEALS, HISTORIES, YARDSTICK, Policy, compute_luck, find_policy

VARIANT = GAME.read_variant({})
Bets = tuple[bool, ...]


def list_leaves(
    deal: tuple[int, int], policies: tuple[Policy, Policy], bets: Bets = ()
) -> Mapping[Bets, Fraction]:
    """Return the probability of each course of the bets."""
    turn = len(bets) % 2
    if bets not in HISTORIES[turn]:
        return {bets: Fraction(1)}
    share = Fraction(policies[turn](deal[turn], bets))
    return {
        course: weight * chance
        for act, weight in ((True, share), (False, 1 - share))
        if weight
        for course, chance in list_leaves(deal, policies, (*bets, act)).items()
    }


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("plan", [*product((0, 1), repeat=3)])
def test_luck_has_mean_zero_whoever_plays(seat: int, plan: tuple[int, ...]) -> None:
    """To the last digit, against the equilibrium's bets, by the sum over all that may happen."""

    def play(rank: int, bets: Bets) -> Fraction:
        return Fraction(plan[rank - 1] if len(bets) < 2 else 1 - plan[rank - 1], 3)

    def play_optimally(rank: int, bets: Bets) -> Fraction:
        return Fraction(bet_probability(rank, bets, Fraction(1, 7)))

    policies = (play, play_optimally) if seat == 0 else (play_optimally, play)
    stated: list[Policy | None] = [None, None]
    stated[1 - seat] = play_optimally
    mean = result = corrected = squares = corrected_squares = Fraction(0)
    for deal in DEALS:
        for bets, share in list_leaves(deal, policies).items():
            chance, payoff = share / len(DEALS), Fraction(compute_payoff(deal, bets))
            luck = Fraction(compute_luck(deal, bets, stated))
            mean, result = mean + chance * luck, result + chance * payoff
            corrected += chance * (payoff - luck)
            squares += chance * payoff**2
            corrected_squares += chance * (payoff - luck) ** 2
    assert mean == 0
    assert corrected == result
    assert corrected_squares - corrected**2 < squares - result**2


def test_only_a_bot_that_states_its_bets_is_corrected_for_them() -> None:
    """A name and parameters of a bundled bot, as a transcript has them, and no other text."""
    assert find_policy("careful") is None
    assert find_policy("optimal:jacks=9") is None
    assert find_policy("optimal:nothing=1") is None
    policy = find_policy("program:optimal:jacks=0.3")
    assert policy
    assert policy(1, ()) == 0.3


def test_results_of_matches_are_corrected() -> None:
    """With the same mean within what is left of the luck; what is won is lost by the other."""
    matches = play_series("kuhn", ["careful", "optimal"], games=200, seed="1", record=True)
    found = YARDSTICK.correct([match.transcript for match in matches])
    seats = [match.names.index("careful") for match in matches]
    raw, less = (
        np.array([getattr(both[seat], part) for both, seat in zip(found, seats, strict=True)])
        for part in ("result", "corrected")
    )
    assert [both[0].corrected for both in found] == pytest.approx(
        [-both[1].corrected for both in found]
    )
    assert raw.tolist() == [
        (match.scores or ())[seat] for match, seat in zip(matches, seats, strict=True)
    ]
    assert less.var() < raw.var() / 2
    assert abs(less.mean() - raw.mean()) < 4 * (raw - less).std() / len(raw) ** 0.5


@pytest.mark.parametrize(("bets", "gain"), [(0.0, 1.0), (0.5, 11 / 24), (1.0, 1 / 3)])
def test_the_gain_of_a_best_reply_is_known(bets: float, gain: float) -> None:
    """Of who always passes, of who plays at random, and of who always bets."""
    found = YARDSTICK.compute_gain(VARIANT, lambda _: {True: bets, False: 1 - bets})
    assert found == pytest.approx(gain)


def test_nobody_gains_against_the_equilibrium() -> None:
    """Neither by its stated probabilities, nor by what the yardstick says that it answers."""
    assert YARDSTICK.compute_gain(VARIANT, YARDSTICK.solve) == pytest.approx(0)


def test_a_bot_is_asked_in_each_state() -> None:
    """Of the careful bot, which bets with the king alone, a best reply wins a quarter of a chip."""
    kuhn = get_plugins().find_game("kuhn")
    careful, asked = parse_entrant(kuhn, "careful"), list[InformationState]()

    def ask(state: InformationState) -> AnswerShares:
        asked.append(state)
        return {ask_entrant(kuhn, careful, state, f"{len(asked)}", HostConfig()): 1.0}

    assert YARDSTICK.compute_gain(VARIANT, ask) == 0.25
    assert len(asked) == 12
