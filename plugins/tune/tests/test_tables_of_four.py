"""Tuning for tables of four by rank: the counter of BS, on a small budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena_tune.trial_store import TrialStore
from arena_tune.tune_file import load
from tests.support.command import Cli

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
COUNTER_FILE = """
game = "bs"
bot = "counter"
table = 4
tune = ["card_turns", "misjudging_cost"]
opponents = ["honest", "caller", "liar"]
held_out = ["cautious"]
matches = 100
gate = { gain = 0.5, pairs = 8 }
"""


def test_counter_is_tuned_by_rank(quick: Cli, tmp_path: Path) -> None:
    """A match scores the share of the other three that are behind, and a run comes to an end."""
    file = tmp_path / "counter.toml"
    file.write_text(COUNTER_FILE)
    spec = load(file)
    assert spec.terms.objective == "place"
    assert [parameter.default for parameter in spec.parameters] == [0.6, 3.0]
    done = quick("tune", "counter.toml", "--json", "--workers", "1")
    *steps, end = map(json.loads, done.stdout.splitlines())
    assert done.returncode == (end["conclusion"] != "better")
    assert set(end["winner"]) == {"card_turns", "misjudging_cost"}
    assert end["void"] == 0
    assert sum(step["matches"] for step in steps) == end["matches"]
    with TrialStore.open(str(spec.database), write=False) as store:
        trials = [trial for step in steps for trial in store.read_trials(step["generation"])]
    for trial in trials:
        points = json.loads(trial.points or "")
        behind = [(sum(own > other for other in points) + (points.count(own) - 1) / 2) / 3
                  for own in points]  # fmt: skip
        assert any(trial.score == pytest.approx(share) for share in behind)
    assert len({trial.score for trial in trials}) > 3
