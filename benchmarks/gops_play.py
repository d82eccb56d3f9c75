"""What a table of GOPS costs in play, and what half the size loses.

`python -m benchmarks.gops_play move 13` plays with a table, `python -m benchmarks.gops_play
float32 11` compares one in single precision with one in double.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
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
from arena_gops_solver import TableKind, ValueTable, solve
from arena_gops_solver.bots import Nash
from arena_gops_solver.layers import OBJECTIVES

MOVES = 1000
CHUNK = 1 << 24  # numbers compared at once

Taken = tuple[int, float]
"""How many cards were held at a move, and the seconds that it took."""


@define(eq=False, slots=False)
class Timed(Nash):
    """Plays as `nash` does, and takes down how long each move takes."""

    taken: list[Taken] = field(factory=list)

    def choose(self, question: Question[int]) -> int:
        """Draw a bid."""
        began = perf_counter()
        bid = super().choose(question)
        self.taken.append((len(self.place.mine), perf_counter() - began))
        return bid


def moves(cards: int, table: Path, count: int = MOVES) -> list[Taken]:
    """Play with a table against a bot that draws its bids, at least so many moves."""
    taken: list[Taken] = []
    for number in range(-(-count // cards)):
        players = [
            BotPlayer(Timed(str(table), taken)),
            BotPlayer(GAME.bots["random"]()),
        ]
        Match(Play.deal(Gops(cards), 2, f"{number}"), players).run()
    return taken


def opening(table: Path) -> float:
    """Return the seconds that it takes to open a table and see that it is whole."""
    began = perf_counter()
    ValueTable.open(table).check()
    return perf_counter() - began


def apart(one: ValueTable, other: ValueTable) -> Iterator[float]:
    """Return for each layer by how much the values of two tables differ at most."""
    for held in range(1, one.kind.cards):
        pair = one.layer(held).values, other.layer(held).values
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
    """Say how long it takes to open a table, and to move by it."""
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        solve(TableKind(cards), table)
        print(f"{cards} cards: opened in {1e3 * opening(table):.0f} ms")
        taken = moves(cards, table)
    for held, group in groupby(sorted(taken, reverse=True), key=lambda one: one[0]):
        print(f"{held:>8} cards held: {_told([seconds for _, seconds in group])}")
    print(f"{len(taken)} moves:       {_told([seconds for _, seconds in taken])}")


def _told(seconds: list[float]) -> str:
    return f"median {1e6 * median(seconds):.0f} us, worst {1e6 * max(seconds):.0f} us"


@main.command()
@click.argument("cards", default=11)
@click.option("--objective", type=click.Choice(OBJECTIVES), default="points")
def float32(cards: int, objective: str) -> None:
    """Say by how much values in single precision are off, at most."""
    with TemporaryDirectory() as folder:
        pair = [
            solve(TableKind(cards, objective, precision), Path(folder) / precision)
            for precision in ("float64", "float32")
        ]
        print(f"{objective}, {cards} cards: off by {max(apart(*pair)):.1e} at most")


if __name__ == "__main__":
    main()
