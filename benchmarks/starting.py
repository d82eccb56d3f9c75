"""What the command line and a bot's program cost before they begin, beside a bare interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.ratios import Ratio

ARENA = str(Path(sys.executable).parent / "arena")
BARE = (sys.executable, "-c", "pass")
CALLS = {
    "arena --help": (ARENA, "--help"),
    "a refused option": (ARENA, "--no-such-option"),
    "a refused command": (ARENA, "no-such-command"),
    "a refused option of arena match": (ARENA, "match", "--no-such-option"),
    "a refused option of arena play": (ARENA, "play", "--no-such-option"),
    "arena games": (ARENA, "games"),
    "arena games --json": (ARENA, "games", "--json"),
    "arena match gops random random": (ARENA, "match", "gops", "random", "random"),
    "the same with --json": (ARENA, "match", "gops", "random", "random", "--json"),
    "a bundled bot as a program": (sys.executable, "-m", "arena.bot", "gops", "random"),
}


NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # with it all modules are compiled at every start


def measure_seconds(line: tuple[str, ...]) -> float:
    """Return the processor seconds of a command, from its start to its end."""
    environment = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    before = getrusage(RUSAGE_CHILDREN)  # in microseconds, where os.times counts hundredths
    subprocess.run(
        line, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> list[Ratio]:
    """Return the ratios of one run; a bare interpreter is started just before each command."""
    return [
        Ratio(f"start: {name} / a bare interpreter", measure_seconds(line) / measure_seconds(BARE))
        for name, line in CALLS.items()
    ]
