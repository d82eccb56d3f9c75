"""`arena gops`: solve the game, ask for strategies, and explain matches by them."""

from __future__ import annotations

import click

from arena.cli.common import Group
from arena_gops_solver.cli.analyse import analyse
from arena_gops_solver.cli.exploit import exploit
from arena_gops_solver.cli.explore import explore
from arena_gops_solver.cli.screen import speak_plainly
from arena_gops_solver.cli.solve import solve
from arena_gops_solver.cli.strategy import strategy


@click.group(
    cls=Group,
    examples=(
        "gops solve --cards 13",
        "gops strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6",
        "gops explore --cards 4",
    ),
)
def gops() -> None:
    """Solve GOPS exactly, for two players with the same cards and shuffled prizes."""
    speak_plainly()


for command in (analyse, exploit, explore, solve, strategy):
    gops.add_command(command)
