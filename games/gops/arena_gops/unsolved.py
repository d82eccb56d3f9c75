"""`arena gops` where the solver is not installed: it says how to get it."""

from __future__ import annotations

import click

from arena import Refusal


@click.command(
    short_help="Solve GOPS exactly (not installed).",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, expose_value=False)
def gops() -> None:
    """Refuse, whatever is asked for."""
    raise Refusal("arena gops needs the solver; get it by pip install 'arena-gops[solver]'")
