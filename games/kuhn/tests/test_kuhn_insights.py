"""What is observed of the playing style of Kuhn poker."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from arena import Observation
from arena.host import play_match
from arena_kuhn import bet_probability
from arena_kuhn.insights import BY_TURN, STATISTICS, TURNS, observe_bets

MATCHES = 600


def hand(
    ranks: Sequence[int], bets: Sequence[bool], scores: Sequence[int], fallback: int = -1
) -> list[dict[str, object]]:
    """Return a hand with these cards and bets; one seat has the fallback bot."""
    cards = ({"tell": "Card", "rank": rank} for rank in ranks)
    lines: list[dict[str, object]] = [{}]
    lines += ({"to": seat, "event": card} for seat, card in enumerate(cards))
    for turn, bet in enumerate(bets):
        lines.append({"from": turn % 2, "answer": bet, "fallback": turn % 2 == fallback})
    return [*lines, {"outcome": {"end": "finished", "scores": scores}}]


def test_a_bet_is_a_bluff_or_a_call_by_what_was_bet_before() -> None:
    """The first passes with the queen and calls; the second bets with the jack."""
    found = [*observe_bets(hand((2, 1), (False, True, True), (2, -2)))]
    assert [(seen.seat, seen.key, seen.value, seen.x) for seen in found] == [
        (0, "bet_queen", False, ""),
        (1, "bet_jack", True, ""),
        (1, "bluffs_by_turn", True, "2nd"),
        (0, "call_queen", True, ""),
        (0, "calls_by_turn", True, "1st"),
        (0, "chips", 2, ""),
        (1, "chips", -2, ""),
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_fallback_bot_is_not_observed(seat: int) -> None:
    """Neither its bets nor its chips say anything about the player that it replaces."""
    found = observe_bets(hand((3, 1), (True, False), (1, -1), fallback=seat))
    assert {seen.seat for seen in found} == {1 - seat}


def test_optimal_play_has_the_shares_that_the_statistics_name() -> None:
    """Over many hands each share by turn is close to the equilibrium's; what is never right is 0."""
    seen: list[Observation] = []
    for seed in range(MATCHES):
        text = play_match("kuhn", ["optimal", "optimal"], seed=f"{seed}").transcript.text
        seen += observe_bets([json.loads(line) for line in text.splitlines()])
    assert {found.key for found in seen} == {statistic.key for statistic in STATISTICS}

    def share(key: str, x: str = "") -> float:
        values = [float(found.value) for found in seen if (found.key, found.x) == (key, x)]
        return sum(values) / len(values)

    assert [share(key) for key in ("bet_queen", "call_jack", "call_king", "chips")] == [0, 0, 1, 0]
    expected = {
        "bet_jack": [(1, ()), (1, (False,))],
        "bet_king": [(3, ()), (3, (False,))],
        "call_queen": [(2, (False, True)), (2, (True,))],
    }
    for key, states in expected.items():
        for turn, (rank, bets) in zip(TURNS, states, strict=True):
            chance = float(bet_probability(rank, bets, 0.2))
            assert share(BY_TURN[key], turn) == pytest.approx(chance, abs=0.12)
