"""What this plugin brings to the arena: the commands `arena gops`, and bots for the game."""

from __future__ import annotations

from collections.abc import Mapping

import click

from arena import Bot, hookimpl
from arena_gops_solver.bots import Nash, NashWin
from arena_gops_solver.cli import gops


@hookimpl
def arena_commands() -> list[click.Command]:
    """Bring the commands."""
    return [gops]


@hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:
    """Bring the bots."""
    return {"gops": {"nash": Nash, "nash-win": NashWin}}
