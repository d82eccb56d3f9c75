"""The cost of matches of programs, warm and plain: `python -m benchmarks.fast_starts BOT...`."""

from __future__ import annotations

import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import load_game

MATCHES = 40
ROUNDS = 3
SWITCH = "ARENA_WARM_STARTS"


def play_matches(bot: str) -> None:
    """Play matches of GOPS between a bot and itself."""
    game = load_game("gops")
    series = Series(game, game.read_variant({}), parse_entrants(game, [bot, bot]), "1")
    for spec, seated in series.iter_matches(MATCHES):
        assert not host(spec, seated, HostConfig()).outcome.verdicts


def measure_cpu_seconds(bot: str, warm: str) -> float:
    """Return the processor seconds of a process that plays matches, and of all its programs."""
    before = getrusage(RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "benchmarks.fast_starts", bot, "play"]
    subprocess.run(words, env={**os.environ, SWITCH: warm}, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_ratios(bot: str) -> None:
    """Print how many times as many matches a second of the processor is enough for."""
    ratios = [measure_cpu_seconds(bot, "0") / measure_cpu_seconds(bot, "1") for _ in range(ROUNDS)]
    print(f"{bot}: {median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    if "play" in sys.argv:
        play_matches(sys.argv[1])
    else:
        for name in sys.argv[1:]:
            print_ratios(name)
