"""Candidates whose processes play match after match (`games = "many"`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena_tune.course import SEARCH, Generation, PairingPlanner
from arena_tune.optimiser import CANDIDATES
from arena_tune.run import open_player, prepare_cast
from arena_tune.tune_file import load

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
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
    """Seventeen candidates start two processes each, as none plays a deal from both seats."""
    log = tmp_path / "started"
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    command = json.dumps([sys.executable, "-I", "-S", "bot.py", str(log), "{w}"])
    (folder / "bot.toml").write_text(BOT_FILE.format(command=command))
    (tmp_path / "mine.toml").write_text(TUNE_FILE)
    spec = load(tmp_path / "mine.toml")
    candidates = tuple({"w": 1 + number} for number in range(CANDIDATES + 1))
    pairings = PairingPlanner(spec.terms).draw(DEALS, spec.terms.pool)
    generation = Generation(0, SEARCH, candidates, pairings)
    with open_player(prepare_cast(spec, None), 1) as player:
        played = [match for block in player.play(generation, set()) for match in block]
    assert len(played) == generation.matches == len(candidates) * 2 * DEALS
    assert {match.end for match in played} == {"finished"}
    assert len(log.read_text().splitlines()) == 2 * len(candidates)
