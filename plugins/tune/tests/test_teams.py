"""Tuning in a game of teams: a candidate plays all seats of a team."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.rules import UserError
from arena_tune.trial_store import TrialStore
from arena_tune.tune_file import load
from tests.support.command import Cli
from tests.support.lanterns import install_lanterns

SKILLED = """
from attrs import define, field

from arena_briscola.bots import CardCounter


@define(eq=False, slots=False)
class Skilled(CardCounter):
    skill: float = field(default=0.1, metadata={"min": 0.0, "max": 1.0})

    def play(self, hand):
        counts = len(self.gone) % 10 < 10 * self.skill
        return super().play(hand) if counts else max(hand, key=self.price)
"""
FILE = """
game = "briscola"
bot = "skilled.py:Skilled"
table = 4
opponents = ["random"]
held_out = ["thrifty"]
matches = 300
search = { spread = 0.3 }
gate = { gain = 0.5, pairs = 16 }
"""


@pytest.mark.slow
@pytest.mark.usefixtures("inline_workers")
def test_a_planted_skill_of_pairs_is_found(quick: Cli, tmp_path: Path) -> None:
    """A match has two sides, each of one bot, and deals are played both ways round."""
    (tmp_path / "skilled.py").write_text(SKILLED)
    file = tmp_path / "skilled.toml"
    file.write_text(FILE)
    spec = load(file)
    assert (spec.table, spec.terms.seats, spec.terms.objective) == (4, 2, "win")
    done = quick("tune", "skilled.toml", "--json", "--workers", "1")
    assert done.returncode in (0, 1), done.stderr
    *steps, end = map(json.loads, done.stdout.splitlines())
    assert end["winner"]["skill"] > 0.4
    with TrialStore.open(str(spec.database), write=False) as store:
        trials = [trial for step in steps for trial in store.read_trials(step["generation"])]
    assert {len(json.loads(trial.points or "")) for trial in trials} == {2}
    assert {sum(json.loads(trial.points or "")) for trial in trials} == {120}


def test_what_cannot_be_tuned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A team of several bots, and bots that have no opponents."""
    install_lanterns(tmp_path, monkeypatch)
    file = tmp_path / "tune.toml"
    for text, problem in (
        ('game = "briscola"\nbot = "team:counter random"\ntable = 4\n', "a team cannot be tuned"),
        ('game = "lanterns"\nbot = "steady"\n', "nobody plays against anybody at a table of 2"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=problem):
            load(file)
