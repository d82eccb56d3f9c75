"""What this plugin brings to the arena: the commands `arena gops`."""

from __future__ import annotations

import click

from arena import hookimpl
from arena_gops_solver.commands import gops


@hookimpl
def arena_commands() -> list[click.Command]:
    """Bring them."""
    return [gops]
