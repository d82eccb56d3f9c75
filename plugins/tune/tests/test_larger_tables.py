"""Tuning at larger tables, by rank and in teams, and with processes that play match after match."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena.rules import UserError
from arena_tune.match_store import MatchStore
from arena_tune.run import open_player, prepare_cast
from arena_tune.staged_search import SEARCH, Generation, PairingPlanner
from arena_tune.tune_file import load
from tests.support.command import Cli
from tests.support.lanterns import install_lanterns

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
COUNTER_FILE = """
game = "bs"
bot = "counter"
table = 4
tune = ["card_turns", "misjudging_cost"]
opponents = ["honest", "caller", "liar"]
held_out = ["cautious"]
options = { max_turns = 20 }
matches = 100
gate = { gain = 0.5, pairs = 20 }
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
    with MatchStore.open(str(spec.database), write=False) as store:
        trials = [trial for step in steps for trial in store.read_matches(step["generation"])]
    for trial in trials:
        points = json.loads(trial.points or "")
        behind = [(sum(own > other for other in points) + (points.count(own) - 1) / 2) / 3
                  for own in points]  # fmt: skip
        assert any(trial.score == pytest.approx(share) for share in behind)
    assert len({trial.score for trial in trials}) > 3


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
matches = 150
search = { spread = 0.3 }
gate = { gain = 0.5, pairs = 16 }
"""


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
    with MatchStore.open(str(spec.database), write=False) as store:
        trials = [trial for step in steps for trial in store.read_matches(step["generation"])]
    assert {len(json.loads(trial.points or "")) for trial in trials} == {2}
    assert {sum(json.loads(trial.points or "")) for trial in trials} == {120}


def test_what_cannot_be_tuned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A team of several bots, and bots that have no opponents."""
    install_lanterns(tmp_path, monkeypatch)
    file = tmp_path / "tune.toml"
    for text, problem in (
        ('game = "briscola"\nbot = "team:counter random"\ntable = 4\n', "a team cannot be tuned"),
        ('game = "lanterns"\nbot = "steady"\n', "the game is cooperative at a table of 2"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=problem):
            load(file)


DEALS = 4
BOT = """
import json, sys
with open(sys.argv[1], "a") as log:
    log.write("started\\n")
for line in sys.stdin:
    message = json.loads(line)
    if message.get("ask") == "MatchOver":
        print('"ready"', flush=True)
    elif "ask" in message:
        print(json.dumps(message["options"]["one_of"][0]), flush=True)
"""
BOT_FILE = """
name = "mine"
command = {command}
protocol = "json"
games = "many"
[parameters.w]
type = "int"
min = 1
max = 99
default = 1
"""
TUNE_FILE = """
game = "gops"
bot = "mine"
opponents = ["match", "random"]
options = { cards = 3 }
"""


def test_a_process_of_a_candidate_plays_all_its_matches_in_a_seat(tmp_path: Path) -> None:
    """Each candidate starts two processes, as none plays a deal from both seats."""
    log = tmp_path / "started"
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    command = json.dumps([sys.executable, "-I", "-S", "bot.py", str(log), "{w}"])
    (folder / "bot.toml").write_text(BOT_FILE.format(command=command))
    (tmp_path / "mine.toml").write_text(TUNE_FILE)
    spec = load(tmp_path / "mine.toml")
    candidates = tuple({"w": 1 + number} for number in range(4))
    pairings = PairingPlanner(spec.terms).draw(DEALS, spec.terms.pool)
    generation = Generation(0, SEARCH, candidates, pairings)
    with open_player(prepare_cast(spec, None), 1) as player:
        played = [match for block in player.play(generation, set()) for match in block]
    assert len(played) == generation.matches == len(candidates) * 2 * DEALS
    assert {match.end for match in played} == {"finished"}
    assert len(log.read_text().splitlines()) == 2 * len(candidates)
