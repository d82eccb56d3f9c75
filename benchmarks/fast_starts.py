"""The cost of matches of programs: `python -m benchmarks.fast_starts [--before TREE] PAIR...`.

A PAIR is `FOLDER,FOLDER`, or one bot's folder, which then plays against itself. All ways to start
and end the bots are run in turn: those of another tree, plain, warm, and warm with `end = "now"`.

`python -m benchmarks.fast_starts --compare MATCHES PAIR...` plays matches both ways instead, and
fails unless their transcripts are the same but for times.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median

MATCHES = 40
ROUNDS = 3
MEASURED = re.compile(r'"(?:seconds|latency)":[0-9.e-]+,?')
SWITCH = "ARENA_WARM_STARTS"
HERE = Path(__file__).parents[1]


def read_cpu_seconds() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    used = [getrusage(whose) for whose in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def play_matches(bots: list[str], matches: int) -> None:
    """Play matches of GOPS between two bots."""
    from arena.host import HostConfig, Series, host, parse_entrants
    from arena.plugins import load_game

    game = load_game("gops")
    series = Series(game, game.read_variant({}), parse_entrants(game, bots), "1")
    for spec, seated in series.iter_matches(matches):
        assert not host(spec, seated, HostConfig()).outcome.verdicts


def record_matches(bots: list[str], matches: int) -> list[str]:
    """Play matches of GOPS; return their transcripts, without times, as JSON lines."""
    from arena.host import HostConfig, Series, host, parse_entrants
    from arena.plugins import load_game
    from arena.records import InMemoryFile, Recorder

    game, found = load_game("gops"), []
    series = Series(game, game.read_variant({}), parse_entrants(game, bots), "1")
    for spec, seated in series.iter_matches(matches):
        file = InMemoryFile()
        host(spec, seated, HostConfig(), [Recorder(spec, file)])
        found.append(MEASURED.sub("", file.text))
    return found


def print_milliseconds(bots: list[str]) -> None:
    """Print the processor milliseconds of a match, all starts and ends included."""
    play_matches(["random", "random"], 1)  # imports what it needs
    before = read_cpu_seconds()
    play_matches(bots, MATCHES)
    if "arena.players.starters" in sys.modules:
        sys.modules["arena.players.starters"].STARTER_POOL.close()
    print((read_cpu_seconds() - before) / MATCHES * 1000)


def measure_milliseconds(tree: Path, bots: list[str], warm: str) -> float:
    """Return the milliseconds that a process of its own has measured (`print_milliseconds`)."""
    words = [sys.executable, __file__, "play", *bots]
    environment = {**os.environ, SWITCH: warm, "PYTHONPATH": f"{tree}:{tree / 'games/gops'}"}
    done = subprocess.run(words, env=environment, cwd=tree, check=True, capture_output=True)
    return float(done.stdout)


def copy_bot(bot: str, folder: Path, number: int) -> str:
    """Return a copy of a bot's folder whose `bot.toml` says `end = "now"`."""
    copy = folder / f"{Path(bot).name}-{number}"
    shutil.copytree(bot, copy)
    file = copy / "bot.toml"
    file.write_text(f'{file.read_text()}\nend = "now"\n')
    return str(copy)


def print_ratios(bots: list[str], before: Path | None) -> None:
    """Print how many times as many matches a second of the processor is enough for."""
    with tempfile.TemporaryDirectory() as folder:
        ending = [copy_bot(bot, Path(folder), number) for number, bot in enumerate(bots)]
        ways: dict[str, tuple[Path, list[str], str]] = {
            "plain": (HERE, bots, "0"), "warm": (HERE, bots, "1"),
            "warm, end now": (HERE, ending, "1"),
        }  # fmt: skip
        if before:
            ways = {"before": (before, bots, "0"), **ways}
        taken = [{way: measure_milliseconds(*ways[way]) for way in ways} for _ in range(ROUNDS)]
    first = next(iter(ways))
    for way in ways:
        ratios = [row[first] / row[way] for row in taken]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{' '.join(bots)}: {way}: {median(row[way] for row in taken):.1f} ms, {spread}")


def compare_transcripts(bots: list[str], matches: int) -> None:
    """Play matches warm and plainly; exit with a message unless they are the same."""
    found = []
    for warm in ("1", "0"):
        os.environ[SWITCH] = warm
        found.append(record_matches(bots, matches))
    different = sum(first != second for first, second in zip(*found, strict=True))
    print(f"{' '.join(bots)}: {different} of {matches} matches differ")
    if different:
        sys.exit(1)


def parse_pair(pair: str) -> list[str]:
    """Return the folders of two bots."""
    bots = [str(Path(bot).absolute()) for bot in pair.split(",")]
    return bots * (3 - len(bots))


def run_command(words: list[str]) -> None:
    """Do what a command line says."""
    if words[0] == "play":
        print_milliseconds(words[1:])
    elif words[0] == "--compare":
        for pair in words[2:]:
            compare_transcripts(parse_pair(pair), int(words[1]))
    else:
        tree = Path(words[1]).absolute() if words[0] == "--before" else None
        for pair in words[2 if tree else 0 :]:
            print_ratios(parse_pair(pair), tree)


if __name__ == "__main__":
    run_command(sys.argv[1:])
