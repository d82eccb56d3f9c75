"""What the command line and a bot's program cost before they begin, beside a bare interpreter."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.million import fill_database
from benchmarks.ratios import ARENA, BARE, Ratio, measure_command

STORE = "small.db"
CALLS = {
    "arena --help": (ARENA, "--help"),
    "arena games": (ARENA, "games"),
    "arena games --json": (ARENA, "games", "--json"),
    "arena match gops random random": (ARENA, "match", "gops", "random", "random"),
    "the same with --json": (ARENA, "match", "gops", "random", "random", "--json"),
    "arena standings": (ARENA, "standings", STORE),
    "arena matches": (ARENA, "matches", STORE),
    "arena web --help": (ARENA, "web", "--help"),
    "a bundled bot as a program": (sys.executable, "-m", "arena.bot", "gops", "random"),
}
REFUSALS = {
    "a refused option": (ARENA, "--no-such-option"),
    "a refused command": (ARENA, "no-such-command"),
    "a refused option of arena match": (ARENA, "match", "--no-such-option"),
    "a refused option of arena play": (ARENA, "play", "--no-such-option"),
}


def prepare(folder: Path) -> Callable[[], list[Ratio]]:
    """Fill a small database; return what measures one turn.

    A bare interpreter is started just after each command.
    """
    fill_database(folder / STORE, 200, 10)

    def measure(name: str, line: tuple[str, ...], status: int) -> Ratio:
        words = [str(folder / word) if word == STORE else word for word in line]
        cost = measure_command(*words, status=status) / measure_command(*BARE)
        return Ratio(f"start: {name} / a bare interpreter", cost)

    return lambda: [
        measure(name, line, status)
        for calls, status in ((CALLS, 0), (REFUSALS, 2))
        for name, line in calls.items()
    ]
