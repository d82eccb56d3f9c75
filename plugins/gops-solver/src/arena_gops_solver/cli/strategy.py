"""`arena gops strategy`: the exact strategy of a position."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena_gops_solver.cli.options import CARDS, exact, json_option, objective_option, table_option


@click.command(short_help="Give the exact strategy of a position.")
@click.option("--mine", type=CARDS, required=True, help="My hand.")
@click.option("--theirs", type=CARDS, required=True, help="The other hand.")
@click.option("--prizes", type=CARDS, required=True, help="The prizes left, the one up among them.")
@click.option("--prize", type=click.IntRange(min=1), required=True, help="The one that is up.")
@click.option("--difference", type=int, default=0, help="Points that I am ahead; matters to win.")
@objective_option
@table_option
@json_option
def strategy(
    mine: tuple[int, ...],
    theirs: tuple[int, ...],
    prizes: tuple[int, ...],
    prize: int,
    difference: int,
    objective: str,
    table: Path | None,
    as_json: bool,
) -> None:
    """Give how often to bid which card, what that is worth, and what each bid is worth.

    Of all equilibria it is one with the largest support. What a bid is worth is meant
    against the other's equilibrium.
    """
    from arena_gops_solver import Place, equilibrium
    from arena_gops_solver.shelf import solved as found_solved

    solved = found_solved(objective, max(*mine, *theirs, *prizes), table)
    place = Place(mine, theirs, prizes, difference)
    found = equilibrium(solved.stage(place, prize))
    weights = {card: float(one) for card, one in zip(mine, found.weights, strict=True) if one}
    worth = {card: exact(one) for card, one in zip(mine, found.worth, strict=True)}
    value = exact(found.value)
    if as_json:
        row = {"objective": objective, "value": value, "strategy": weights, "worth": worth}
        click.echo(json.dumps(row))
    else:
        _show(objective, value, weights, worth)


def _show(objective: str, value: float, weights: dict[int, float], worth: dict[int, float]) -> None:
    """Print a table with a bar for each bid."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"value {value:+.4f} ({objective})")
    for heading in ("bid", "probability", "", "worth"):
        table.add_column(heading, justify="left" if not heading else "right")
    for card, each in worth.items():
        share = weights.get(card, 0.0)
        table.add_row(str(card), f"{share:.4f}", "█" * round(20 * share), f"{each:+.4f}")
    Console(highlight=False).print(table)
