"""The exact solution as a yardstick: leads without luck, and what a best reply wins."""

from __future__ import annotations

import numpy as np
import pytest

from arena import InformationState
from arena.host import HostConfig, ask_entrant, parse_entrant, play_series
from arena.plugins import AnswerShares, get_plugins
from arena_gops_solver.yardsticks import YARDSTICK


@pytest.mark.parametrize(("cards", "gain", "states"), [(3, 0.0, 21), (4, 2.0, 340)])
def test_the_gain_of_a_best_reply_to_match_is_known(cards: int, gain: float, states: int) -> None:
    """With three cards it plays like the solution; with four who bids one more wins two points."""
    gops = get_plugins().find_game("gops")
    variant, match, keys = gops.read_variant({"cards": cards}), parse_entrant(gops, "match"), set()

    def ask(state: InformationState) -> AnswerShares:
        keys.add(key := f"{state.events}")
        return {ask_entrant(gops, match, state, key, HostConfig()): 1.0}

    assert YARDSTICK.compute_gain(variant, ask) == pytest.approx(gain)
    assert len(keys) == states


def test_nobody_gains_against_the_solution() -> None:
    """As the yardstick says that it answers."""
    variant = get_plugins().find_game("gops").read_variant({"cards": 3})
    assert YARDSTICK.compute_gain(variant, YARDSTICK.solve) == pytest.approx(0)


def test_results_are_those_of_the_analysis() -> None:
    """Seen from both seats, without luck; another variant is not explained, and no error."""
    bots = ["match", "nash"]
    matches = play_series("gops", bots, games=40, seed="1", options={"cards": 5}, record=True)
    found = YARDSTICK.correct([match.transcript for match in matches])
    raw, less = (np.array([getattr(both[0], part) for both in found])
                 for part in ("result", "corrected"))  # fmt: skip
    scores = [match.scores or () for match in matches]
    assert raw.tolist() == [first - second for first, second in scores]
    assert [both[1].corrected for both in found] == (-less).tolist()
    assert less.var() < raw.var() / 5
    assert abs(less.mean() - raw.mean()) < 4 * (raw - less).std() / len(raw) ** 0.5
    (other,) = play_series(
        "gops", bots[:1] * 2, games=1, seed="1", options={"ties": "carry"}, record=True
    )
    assert [*map(len, YARDSTICK.correct([other.transcript]))] == [0]
