"""`arena gops`: solve the game, ask for strategies, and explain matches by them."""

from __future__ import annotations

import click

from arena_gops_solver.cli.solve import solve
from arena_gops_solver.cli.strategy import strategy


@click.group()
def gops() -> None:
    r"""Solve GOPS exactly, for two players with the same cards and shuffled prizes.

    \b
    Examples:
      arena gops solve --cards 13
      arena gops strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6
    """


for command in (solve, strategy):
    gops.add_command(command)
