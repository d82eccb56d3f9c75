"""Matches in one process or each in its own: `python -m benchmarks.many_games`.

A trusted bot in Python plays GOPS, in JSON lines, against a bot in the host's process. It is one
that is written with `arena.bot`, and one that imports nothing but `json`. All ways are run in turn,
each in a process of its own: a start for each match, plain and warm, and one start for many.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.fast_starts import read_cpu_seconds

MATCHES = {"one": 20, "many": 500}  # played with a start for each, and with one for all
ROUNDS = 3
SWITCH = "ARENA_WARM_STARTS"

BOTS = {
    "bare": """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        print(json.dumps(message["options"]["one_of"][-1]), flush=True)
""",
    "with arena.bot": """
from random import Random
from arena.bot import Bot, run
class Mine(Bot):
    def greet(self, greeting):
        self.random = Random(greeting.seed)
    def choose(self, question):
        return question.options.draw(self.random)
run(Mine)
""",
}


def print_milliseconds(bot: str, matches: int) -> None:
    """Print the processor milliseconds of a match, all starts and ends included."""
    from arena.host import HostConfig, ProgramPool, Series, host, parse_entrants
    from arena.players.starters import STARTER_POOL
    from arena.plugins import load_game

    game = load_game("gops")
    series = Series(game, game.read_variant({}), parse_entrants(game, [bot, "random"]), "1")
    for spec, seated in series.iter_matches(1):  # imports what a match needs
        host(spec, seated, HostConfig())
    before = read_cpu_seconds()
    with ProgramPool() as programs:
        config = HostConfig(programs=programs)
        for spec, seated in series.iter_matches(matches):
            assert not host(spec, seated, config).outcome.verdicts
    STARTER_POOL.close()
    print((read_cpu_seconds() - before) / matches * 1000)


def measure_milliseconds(bot: Path, warm: str) -> float:
    """Measure a way to play in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.many_games", str(bot), str(MATCHES[bot.name])]
    environment = {**os.environ, SWITCH: warm}
    done = subprocess.run(words, env=environment, check=True, capture_output=True)
    return float(done.stdout)


def write_bot(folder: Path, text: str, games: str) -> Path:
    """Write a bot whose processes play one game or many."""
    home = folder / games
    home.mkdir(parents=True)
    (home / "bot.py").write_text(text)
    command = f'command = ["{sys.executable}", "bot.py"]'
    (home / "bot.toml").write_text(
        f'name = "mine"\n{command}\nprotocol = "json"\ngames = "{games}"\n'
    )
    return home


def print_ratios(name: str, text: str, folder: Path) -> None:
    """Print how many times as many matches a second of the processor is enough for."""
    single, many = (write_bot(folder / name, text, games) for games in MATCHES)
    ways = {"plain": (single, "0"), "warm": (single, "1"), "many": (many, "1")}
    taken = [{way: measure_milliseconds(*ways[way]) for way in ways} for _ in range(ROUNDS)]
    for way in ways:
        ratios = [row["warm"] / row[way] for row in taken]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{name}: {way}: {median(row[way] for row in taken):.2f} ms, {spread}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        print_milliseconds(sys.argv[1], int(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in BOTS.items():
                print_ratios(name, text, Path(folder))
