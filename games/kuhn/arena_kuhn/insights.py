"""The playing style of Kuhn poker: bluffs, calls and value bets, beside the equilibrium's shares.

The equilibrium is Kuhn's (1950, see `bet_probability`). The first player may choose how often to
bet with the jack, up to one time in three, so some of its shares are ranges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena import Insights, Observation, Statistic
from arena_kuhn import NAMES

MAX_LOSS = 2  # chips: the ante, and a bet
TURNS = ("1st", "2nd")  # who acts first, and who acts after it

STATISTICS = (
    Statistic(
        "chips",
        "Chips won in a hand",
        "chips",
        about="More are better: perfect players lose 0.06 as the first and win 0.06 as the second.",
        least=-MAX_LOSS,
        most=MAX_LOSS,
    ),
    Statistic(
        "bet_jack",
        "Bets with the jack, which are bluffs",
        "%",
        about="Perfect players: up to 33 % as the first player, 33 % as the second.",
    ),
    Statistic(
        "bet_queen",
        "Bets with the queen",
        "%",
        about="Perfect players: 0 %, as only a king calls and only a jack folds.",
        better="less",
        advice="Pass with the queen: a bet wins nothing more, as only a king calls.",
    ),
    Statistic(
        "bet_king",
        "Bets with the king",
        "%",
        about="Perfect players: as the first three times as often as with the jack,"
        " as the second 100 %.",
    ),
    Statistic(
        "call_jack",
        "Bets called with the jack",
        "%",
        about="Perfect players: 0 %, as every other card beats it.",
        better="less",
        advice="Fold the jack to a bet: every other card beats it.",
    ),
    Statistic(
        "call_queen",
        "Bets called with the queen",
        "%",
        about="Perfect players: 33 to 67 % as the first player, 33 % as the second.",
    ),
    Statistic(
        "call_king",
        "Bets called with the king",
        "%",
        about="Perfect players: 100 %, as it beats every other card.",
        better="more",
        advice="Call every bet with the king: nothing beats it.",
    ),
    Statistic("bluffs_by_turn", "Bets with the jack, by who acts first", "%", across="player"),
    Statistic("values_by_turn", "Bets with the king, by who acts first", "%", across="player"),
    Statistic(
        "calls_by_turn", "Bets called with the queen, by who acts first", "%", across="player"
    ),
)

BY_TURN = {
    "bet_jack": "bluffs_by_turn",
    "bet_king": "values_by_turn",
    "call_queen": "calls_by_turn",
}


def observe_bets(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of a hand: of each bet, pass, call and fold, and of its chips."""
    ranks, is_bet, own = [0, 0], False, [True, True]
    for line in lines[1:]:
        match line:
            case {"to": int(seat), "event": {"tell": "Card", "rank": rank}}:
                ranks[seat] = rank
            case {"from": seat, "answer": bool(bets), "fallback": fallback}:
                own[seat] &= not fallback
                if not fallback:
                    key = f"{'call' if is_bet else 'bet'}_{NAMES[ranks[seat]]}"
                    yield Observation(seat, key, bets)
                    if key in BY_TURN:
                        yield Observation(seat, BY_TURN[key], bets, TURNS[seat])
                is_bet |= bets
            case {"outcome": {"scores": [_, _] as scores}}:
                yield from (
                    Observation(seat, "chips", scores[seat]) for seat in (0, 1) if own[seat]
                )


INSIGHTS = Insights(STATISTICS, observe_bets, "kuhn")
