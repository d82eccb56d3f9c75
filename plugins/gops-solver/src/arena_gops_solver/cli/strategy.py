"""`arena gops strategy`: the exact strategy of a position."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena_gops_solver.cli.options import CARDS, exact, json_option, objective_option, table_option
from arena_gops_solver.cli.showing import bids, strategies

BAR = 20  # characters


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
    from rich.console import Console

    from arena_gops_solver import Place, equilibrium
    from arena_gops_solver.shelf import solved as found_solved

    solved = found_solved(objective, max(*mine, *theirs, *prizes), table)
    place = Place(mine, theirs, prizes, difference)
    found = equilibrium(solved.stage(place, prize))
    value, mix = exact(found.value), bids(mine, found.weights, found.worth)
    if as_json:
        weights = {bid.card: bid.chance for bid in mix if bid.chance}
        worth = {bid.card: bid.worth for bid in mix}
        row = {"objective": objective, "value": value, "strategy": weights, "worth": worth}
        click.echo(json.dumps(row))
        return
    click.echo(f"Value: {value:+.4f} ({objective})")
    Console(highlight=False).print(strategies({"bid": mix}, BAR))
