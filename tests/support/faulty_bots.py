"""Programs made for a test, and what `arena check` finds about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from arena.check import CheckReport, Finding, check
from arena.host import Limits, parse_entrant
from arena.plugins import load_game
from tests.support.programs import LIMITS, TIMEOUT, command_line

GOPS = load_game("gops")
FALLING = GOPS.read_variant({"prizes": "descending"})
UNFLUSHED = Limits(move=0.4, start=0.1, grace=TIMEOUT)  # for who answers when its input ends
MUTE = evolve(UNFLUSHED, grace=0.1)  # for who does not answer at all

PRELUDE = """
import os, subprocess, sys, time
def cards():
    for line in sys.stdin:
        if line.startswith("Competition"):
            yield int(line.split()[-1])
def say(text):
    print(text, flush=True)
"""


@frozen
class Bots:
    """Makes programs."""

    folder: Path
    made: list[Path] = field(factory=list)

    def line(self, text: str) -> str:
        """Write a program down, and return its command line."""
        self.made.append(self.folder / f"bot{len(self.made)}.py")
        self.made[-1].write_text(PRELUDE + text)
        return command_line(self.made[-1])

    def check(
        self, text: str, limits: Limits = LIMITS, sizes: Sequence[int] = (3,), **more: Any
    ) -> CheckReport:
        """Check it, at one table only unless told otherwise."""
        entered = parse_entrant(GOPS, f"tried={self.line(text)}")
        settings = {"seed": "1", "quick": True, "variant": FALLING, **more}
        return check(GOPS, entered, sizes=sizes, limits=limits, **settings)


def get_only_finding(report: CheckReport) -> Finding:
    """Return the only finding."""
    (finding,) = report.findings
    return finding
