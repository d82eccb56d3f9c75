"""GOPS lines between two C bots: through the whole host, beside a bare C host.

The bare host does the same exchange with blocking reads and no rules at all. Here the
lines go through rules, codec, clocks and verdicts; the transcript is off. Starting and
ending the programs is part of both, and small beside so many rounds.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter

from attrs import frozen

from arena import Play, Seat, Table
from arena.host import Match
from arena.players import Process, Program
from arena_gops import Gops, RubyQuiz116
from benchmarks.ratios import Ratio

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


@contextmanager
def compile_programs() -> Iterator[Path]:
    """Compile the C programs into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bot", "host"):
            source, target = SOURCES / f"{name}.c", Path(folder) / name
            subprocess.run(["cc", "-O2", "-o", target, source], check=True)
        yield Path(folder)


def time_host(folder: Path) -> float:
    """Return the seconds of one round through the arena's host."""
    programs = [
        Program(lambda: Process([str(folder / "bot")]), RubyQuiz116(seat)) for seat in (0, 1)
    ]
    match = Match(Play(RepeatedGops(Gops(), GAMES), 2, "seed"), programs)
    start = perf_counter()
    outcome = match.run()
    assert not outcome.verdicts, outcome
    return (perf_counter() - start) / ROUNDS


def time_c_host(folder: Path) -> float:
    """Return the seconds of one round through the bare C host."""
    host = [str(folder / "host"), str(folder / "bot"), str(ROUNDS)]
    done = subprocess.run(host, capture_output=True, check=True)
    return float(done.stdout) / 1e6


def measure(folder: Path) -> list[Ratio]:
    """Return the ratio of rounds per second of one run."""
    return [
        Ratio(
            "lines to two C bots, the whole host / a bare C host",
            time_c_host(folder) / time_host(folder),
        )
    ]
