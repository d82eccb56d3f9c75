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
class CpuLimitExceeded:
    """GOPS by its own rules, game after game with the same programs: a game is a round."""

    variant: Gops
    left: int  # games
    scores = (0, 0)

    @property
    def over(self) -> bool:
        """Whether enough games were played."""
        return self.left == 0

    async def round(self, table: Table) -> CpuLimitExceeded:
        """Play a game of thirteen rounds."""
        game = await self.variant.deal(table)
        while not game.over:
            game = await game.round(table)
        return CpuLimitExceeded(self.variant, self.left - 1)

    def resample_hidden(self, seat: Seat, random: Random) -> CpuLimitExceeded:
        """Return itself: nobody has been told anything between two games."""
        return self


@contextmanager
def compiled() -> Iterator[Path]:
    """Compile the C programs into a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bot", "host"):
            source, target = SOURCES / f"{name}.c", Path(folder) / name
            subprocess.run(["cc", "-O2", "-o", target, source], check=True)
        yield Path(folder)


def hosted(folder: Path) -> float:
    """Return seconds for one round through the host."""
    programs = [
        Program(lambda: Process([str(folder / "bot")]), RubyQuiz116(seat)) for seat in (0, 1)
    ]
    match = Match(Play(CpuLimitExceeded(Gops(), GAMES), 2, "seed"), programs)
    start = perf_counter()
    outcome = match.run()
    assert not outcome.verdicts, outcome
    return (perf_counter() - start) / ROUNDS


def in_c(folder: Path) -> float:
    """Return the same for a C host."""
    host = [str(folder / "host"), str(folder / "bot"), str(ROUNDS)]
    done = subprocess.run(host, capture_output=True, check=True)
    return float(done.stdout) / 1e6


def measure(folder: Path) -> list[Ratio]:
    """Return this run's ratio of rounds a second."""
    return [
        Ratio("lines to two C bots, the whole host / a bare C host", in_c(folder) / hosted(folder))
    ]
