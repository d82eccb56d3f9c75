"""`arena gops solve`: solve the game into a table."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena_gops_solver.cli.options import HOW_MANY, json_option, objective_option
from arena_gops_solver.cli.terminal_output import show_progress


@click.command(short_help="Solve the game into a table.")
@click.option("--cards", type=HOW_MANY, required=True, help="Number of cards of each player.")
@objective_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the table. Default: in the cache, where the bots look for it.",
)
@click.option("--threads", type=click.IntRange(1, 1024), help="Default: one per core.")
@click.option("--float32", is_flag=True, help="Halve the file size: numbers have 7 digits.")
@json_option
def solve(
    cards: int, objective: str, out: Path | None, threads: int | None, float32: bool, as_json: bool
) -> None:
    """Solve the game with this number of cards, layer by layer, into a table.

    After an interruption, run the command again: it continues after the last finished layer.
    """
    from arena_gops_solver import Parallelism, TableKind
    from arena_gops_solver import solve as solve_into
    from arena_gops_solver.table_cache import get_table_path
    from arena_gops_solver.value_table import translate_errors

    kind = TableKind(cards, objective, "float32" if float32 else "float64")
    out = out or get_table_path(kind)
    with translate_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    effort = Parallelism(threads=threads) if threads else Parallelism()
    with show_progress(f"{cards} cards, {objective}") as report:
        solve_into(kind, out, effort, lambda done: report(done.share))
    size = out.stat().st_size
    row = {"file": str(out), "cards": cards, "objective": objective, "bytes": size}
    click.echo(json.dumps(row) if as_json else f"{out}: {cards} cards, {objective}, {size} bytes")
