"""What a table of GOPS costs in play, and what half the size loses.

`python -m benchmarks.gops.play move 13` plays with a table, `python -m benchmarks.gops.play
float32 11` compares one in single precision with one in double.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import click
import numpy as np
from attrs import define, field

from arena import Play, Question
from arena.host import Match
from arena.players import BotPlayer
from arena_gops import GAME, Gops
from arena_gops_solver import TableSpec, ValueTable, solve
from arena_gops_solver.bots import Nash
from arena_gops_solver.value_table import OBJECTIVES

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


def time_moves(cards: int, table: Path, count: int = MOVES) -> list[MoveTime]:
    """Play at least `count` moves with a table against random bids; return the time of each."""
    times: list[MoveTime] = []
    for number in range(-(-count // cards)):
        players = [
            BotPlayer(TimedNash(str(table), times)),
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
        yield max(
            float(np.abs(pair[0][at : at + CHUNK] - pair[1][at : at + CHUNK]).max(initial=0))
            for at in range(0, len(pair[0]), CHUNK)
        )


@click.group()
def main() -> None:
    """Measure tables of GOPS."""


@main.command()
@click.argument("cards", default=13)
def move(cards: int) -> None:
    """Print the time to open a table, and to choose a move by it."""
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        solve(TableSpec(cards), table)
        print(f"{cards} cards: opened in {1e3 * time_opening(table):.0f} ms")
        times = time_moves(cards, table)
    for held, group in groupby(sorted(times, reverse=True), key=itemgetter(0)):
        print(f"{held:>8} cards held: {_summarize([seconds for _, seconds in group])}")
    print(f"{len(times)} moves:       {_summarize([seconds for _, seconds in times])}")


def _summarize(seconds: list[float]) -> str:
    return f"median {1e6 * median(seconds):.0f} us, worst {1e6 * max(seconds):.0f} us"


@main.command()
@click.argument("cards", default=11)
@click.option("--objective", type=click.Choice(OBJECTIVES), default="points")
def float32(cards: int, objective: str) -> None:
    """Print the largest error of values in single precision."""
    with TemporaryDirectory() as folder:
        pair = [
            solve(TableSpec(cards, objective, precision), Path(folder) / precision)
            for precision in ("float64", "float32")
        ]
        print(f"{objective}, {cards} cards: off by {max(compute_differences(*pair)):.1e} at most")


if __name__ == "__main__":
    main()
