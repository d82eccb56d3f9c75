"""GOPS lines between two C bots: through the whole host, beside a bare C host.

The bare host does the same exchange with blocking reads and no rules at all. Here the
lines go through rules, codec, clocks and verdicts; the transcript is off. What is compared is the
processor time of the two hosts alone: by the clock, it would count most whether the cores fall
asleep between two lines. Starting and ending the programs is part of both, and small beside so many
rounds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

from attrs import frozen

from arena import Play, Seat, Table
from arena.host import Match
from arena.players import Process, Program
from arena_gops import Gops, RubyQuiz116
from benchmarks.ratios import Ratio, measure_children

GAMES = 300
ROUNDS = 13 * GAMES
SOURCES = Path(__file__).parent


@frozen
class RepeatedGops:
    """Several games of GOPS in a row with the same programs, as one play: each game is a round."""

    variant: Gops
    left: int  # games
    scores = (0, 0)

    @property
    def over(self) -> bool:
        """Whether all games were played."""
        return self.left == 0

    async def round(self, table: Table) -> RepeatedGops:
        """Play a game of thirteen rounds."""
        game = await self.variant.deal(table)
        while not game.over:
            game = await game.round(table)
        return RepeatedGops(self.variant, self.left - 1)

    def resample_hidden(self, seat: Seat, random: Random) -> RepeatedGops:
        """Return the play itself: between two games nothing is hidden."""
        return self


def measure_host(folder: Path) -> float:
    """Return the processor seconds of the arena's host."""
    programs = [
        Program(lambda: Process([str(folder / "bot")]), RubyQuiz116(seat)) for seat in (0, 1)
    ]
    match = Match(Play(RepeatedGops(Gops(), GAMES), 2, "seed"), programs)
    start = process_time()
    outcome = match.run()
    assert not outcome.verdicts, outcome
    return process_time() - start


def measure_c_host(folder: Path) -> float:
    """Return the processor seconds of the bare C host, which does not wait for its bots."""
    before = measure_children()
    subprocess.run([folder / "host", folder / "bot", str(ROUNDS)], check=True)
    return measure_children() - before


def prepare(folder: Path) -> Callable[[], list[Ratio]]:
    """Compile the C programs; return what measures one turn, or nothing without a compiler."""
    if not shutil.which("cc"):
        print("lines to two C bots: not measured, there is no C compiler (cc)", file=sys.stderr)
        return list
    for name in ("bot", "host"):
        subprocess.run(["cc", "-O2", "-o", folder / name, SOURCES / f"{name}.c"], check=True)
    return lambda: [
        Ratio(
            "lines to two C bots, the whole host / a bare C host",
            measure_host(folder) / measure_c_host(folder),
        )
    ]
