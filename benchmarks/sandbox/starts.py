"""The cost of matches of programs in a sandbox: `python -m benchmarks.sandbox.starts TIER BOT`.

With `--before PYTHON`, an interpreter that has another version of the arena installed plays the
same matches in turn, and the ratio of the two is printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

FEW, MANY = 10, 50  # matches: what a host costs before its first match is in both
ROUNDS = 6
PLAY = "--play"


def play_matches(tier: str, bot: str, count: int) -> None:
    """Play matches of GOPS between a bot and itself."""
    from arena.host import HostConfig, Series, host, parse_entrant
    from arena.plugins import load_game
    from arena.sandbox import TRUSTED, Sandbox

    game = load_game("gops")
    sandbox = None if tier == TRUSTED else Sandbox(tier)
    both = tuple(parse_entrant(game, bot, sandbox) for _ in range(2))
    for spec, seated in Series.create(game, game.read_variant({}), both, "1").iter_matches(count):
        assert not host(spec, seated, HostConfig()).outcome.verdicts


def measure_cpu_ms(python: str, tier: str, bot: str) -> float:
    """Return the processor time of a match in ms: of the host, its programs, and all between."""
    spent = []
    for count in (FEW, MANY):
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([python, __file__, tier, bot, PLAY, str(count)], check=True)
        after = getrusage(RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * (spent[1] - spent[0]) / (MANY - FEW)


def print_cost(tier: str, bot: str, pythons: Sequence[str]) -> None:
    """Print the processor time of a match with each interpreter, and how many times less it is."""
    runs = []
    for turn in range(ROUNDS):  # none of them is always the first
        order = [*pythons] if turn % 2 else [*reversed(pythons)]
        costs = {python: measure_cpu_ms(python, tier, bot) for python in order}
        runs.append([costs[python] for python in pythons])
    print(f"{tier}, {bot}:", *(f"{median(costs):.1f} ms" for costs in zip(*runs, strict=True)))
    ratios = [run[0] / run[-1] for run in runs]
    print(f"  {median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    """Play, or measure who plays."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tier")
    parser.add_argument("bot")
    parser.add_argument("--before", default=sys.executable)
    parser.add_argument(PLAY, type=int)
    asked = parser.parse_args()
    if asked.play:
        play_matches(asked.tier, asked.bot, asked.play)
    else:
        print_cost(asked.tier, asked.bot, [asked.before, sys.executable])


if __name__ == "__main__":
    main()
