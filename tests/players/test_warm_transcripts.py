"""Matches of programs that forks run go as if each had been started plainly."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.host import HostConfig, Series, host, parse_entrants
from arena.players.environment import WARM_STARTS
from arena.players.starters import WARM_AFTER, ProgramStarter
from arena.plugins import load_game
from arena.records import InMemoryFile, Recorder
from tests.support.requirements import require

EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"
MATCHES = WARM_AFTER + 1
MEASURED = re.compile(r'"(?:seconds|latency)":[0-9.e-]+,?')
FAILS_LATE = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        number = int(line.split()[-1])
        print("thinks", file=sys.stderr, flush=True)
        print({} if number > 7 else number, flush=True)
"""
FAILURES = {
    "raises": FAILS_LATE.format("[][number]"),
    "exits": FAILS_LATE.format("sys.exit('enough')"),
    "babbles": FAILS_LATE.format("'nonsense'"),
    "repeats": FAILS_LATE.format("1"),
}


def record_lines(bots: list[str]) -> list[list[str]]:
    """Play matches of GOPS; return the lines of each transcript, without times.

    They are sorted: answers to one question come in any order.
    """
    game, found = load_game("gops"), []
    series = Series(game, game.read_variant({}), parse_entrants(game, bots), "1")
    for spec, seated in series.iter_matches(MATCHES):
        file = InMemoryFile()
        host(spec, seated, HostConfig(), [Recorder(spec, file)])
        found.append(sorted(MEASURED.sub("", file.text).splitlines()))
    return found


def test_transcripts_are_the_same_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of programs that play as they should, and of those that fail amid a match, but for times."""
    require("bash")
    bots = [str(EXAMPLES / "gops-python"), str(EXAMPLES / "gops-bash")]
    for name, text in FAILURES.items():
        (tmp_path / f"{name}.py").write_text(text)
        bots.append(f"{name}={sys.executable} {tmp_path / name}.py")
    forks: list[int] = []
    fork = ProgramStarter.fork

    def count_forks(starter: ProgramStarter, *words: Any) -> int:
        forks.append(fork(starter, *words))
        return forks[-1]

    monkeypatch.setattr(ProgramStarter, "fork", count_forks)
    warm = record_lines(bots)
    assert len(forks) >= (MATCHES - WARM_AFTER) * (len(bots) - 1)  # all but Bash
    assert all(forks)
    forks.clear()
    monkeypatch.setenv(WARM_STARTS, "0")
    assert record_lines(bots) == warm
    assert len({*map(tuple, warm)}) == MATCHES
    assert not forks
