"""What a table of GOPS costs in play, and what a smaller one loses.

`python -m benchmarks.gops.play move 13` plays with a table, `python -m benchmarks.gops.play error
11` compares one in single precision with one in double.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import ClassVar

import click
import numpy as np
from attrs import define, field

from arena import Play, Question
from arena.host import Match
from arena.players import BotPlayer
from arena_gops import GAME, Gops
from arena_gops_solver import TableSpec, ValueTable, solve
from arena_gops_solver.bots import Nash
from arena_gops_solver.value_table import OBJECTIVES, PRECISIONS, SURE_WIN, read_header

MOVES = 1000
CHUNK = 1 << 24  # numbers compared at once

MoveTime = tuple[int, float]
"""The number of cards held at a move, and its seconds."""


@define(eq=False, slots=False)
class TimedNash(Nash):
    """Plays as `nash` does, and records the time of each move."""

    times: list[MoveTime] = field(factory=list)

    def choose(self, question: Question[int]) -> int:
        """Draw a bid."""
        began = perf_counter()
        bid = super().choose(question)
        self.times.append((len(self.place.mine), perf_counter() - began))
        return bid


@define(eq=False, slots=False)
class TimedNashWin(TimedNash):
    """Plays as `nash-win` does, and records the time of each move."""

    objective: ClassVar[str] = "win"


def time_moves(
    cards: int, table: Path, count: int = MOVES, bot: type[TimedNash] = TimedNash
) -> list[MoveTime]:
    """Play at least `count` moves with a table against random bids; return the time of each."""
    times: list[MoveTime] = []
    for number in range(-(-count // cards)):
        players = [
            BotPlayer(bot(str(table), times)),
            BotPlayer(GAME.bots["random"]()),
        ]
        Match(Play.deal(Gops(cards), 2, f"{number}"), players).run()
    return times


def time_opening(table: Path) -> float:
    """Return the seconds to open a table and check that it is complete."""
    began = perf_counter()
    ValueTable.open(table).check()
    return perf_counter() - began


def compute_differences(table: ValueTable, other: ValueTable) -> Iterator[float]:
    """Yield the largest difference between the values of two tables, layer by layer."""
    for held in range(1, table.kind.cards):
        pair = table.layer(held).values, other.layer(held).values
        scale = 1 / SURE_WIN if other.kind.precision == "int16" else 1
        yield max(
            float(np.abs(pair[0][at:end] - scale * pair[1][at:end]).max(initial=0))
            for at in range(0, len(pair[0]), CHUNK)
            for end in [at + CHUNK]
        )


@click.group()
def main() -> None:
    """Measure tables of GOPS."""


@main.command()
@click.argument("cards", default=13)
@click.option("--table", type=click.Path(exists=True, path_type=Path), help="Default: for points.")
def move(cards: int, table: Path | None) -> None:
    """Print the time to open a table, and to choose a move by it."""
    with TemporaryDirectory() as folder:
        table = table or solve(TableSpec(cards), Path(folder) / "table").path
        print(f"{cards} cards: opened in {1e3 * time_opening(table):.0f} ms")
        win = read_header(table).kind.objective == "win"
        times = time_moves(cards, table, bot=TimedNashWin if win else TimedNash)
    for held, group in groupby(sorted(times, reverse=True), key=itemgetter(0)):
        print(f"{held:>8} cards held: {_summarize([seconds for _, seconds in group])}")
    print(f"{len(times)} moves:       {_summarize([seconds for _, seconds in times])}")


def _summarize(seconds: list[float]) -> str:
    return f"median {1e6 * median(seconds):.0f} us, worst {1e6 * max(seconds):.0f} us"


@main.command()
@click.argument("cards", default=11)
@click.option("--objective", type=click.Choice(OBJECTIVES), default="points")
@click.option("--precision", type=click.Choice(PRECISIONS[1:]), default="float32")
def error(cards: int, objective: str, precision: str) -> None:
    """Print the largest error of values in less than double precision."""
    with TemporaryDirectory() as folder:
        pair = [
            solve(TableSpec(cards, objective, each), Path(folder) / each)
            for each in ("float64", precision)
        ]
        print(f"{objective}, {cards} cards: off by {max(compute_differences(*pair)):.1e} at most")


if __name__ == "__main__":
    main()
