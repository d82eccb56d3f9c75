"""The command `arena gops` without the solver: it explains how to install the solver."""

from __future__ import annotations

from importlib.util import find_spec

import click

from arena import UserError
from arena_gops.solver_package import INSTALL_SOLVER

MISSING_SOLVER = f"arena gops needs the GOPS solver, which is not installed; {INSTALL_SOLVER}"


@click.command(
    "gops",
    short_help="Solve GOPS exactly (not installed).",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, expose_value=False)
def report_missing_solver() -> None:
    """Raise the error that says how to install the solver."""
    raise UserError(MISSING_SOLVER)


gops = None if find_spec("arena_gops_solver") else report_missing_solver
"""The command, which is left to the solver where that is installed."""
