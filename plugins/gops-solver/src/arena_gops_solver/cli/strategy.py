"""`arena gops strategy`: the exact strategy of a position."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena_gops_solver.bots import CARDS
from arena_gops_solver.cli.options import (
    HOW_MANY,
    build_place,
    clean_zero,
    json_option,
    mine_option,
    objective_option,
    prizes_option,
    table_option,
    theirs_option,
)
from arena_gops_solver.cli.strategy_table import build_bids, build_strategies_table, format_value
from arena_gops_solver.cli.terminal_output import print_table

BAR = 20  # characters


@click.command(short_help="Show the exact strategy of a position.")
@click.option("--cards", type=HOW_MANY, help="Hands and prizes are 1 to this number.")
@mine_option
@theirs_option
@prizes_option
@click.option("--prize", type=click.IntRange(min=1), required=True, help="Prize that is turned up.")
@click.option("--difference", type=int, default=0, help="Points by which I am ahead (for win).")
@objective_option
@table_option
@json_option
def strategy(
    cards: int | None,
    mine: tuple[int, ...] | None,
    theirs: tuple[int, ...] | None,
    prizes: tuple[int, ...] | None,
    prize: int,
    difference: int,
    objective: str,
    table: Path | None,
    as_json: bool,
) -> None:
    """Show the probability of each bid, the value of the position and the value of each bid.

    The strategy is an equilibrium with the largest support. The value of a bid is its value
    against the other player's equilibrium strategy.
    """
    from arena_gops_solver import find_equilibrium
    from arena_gops_solver.table_cache import find_solution as found_solved

    place = build_place(cards, mine, theirs, prizes, difference)
    most = max(cards or CARDS[0], *place.mine, *place.theirs, *place.prizes)
    found = find_equilibrium(found_solved(objective, most, table).build_stage(place, prize))
    mix = build_bids(place.mine, found.weights, found.worth)
    if as_json:
        weights = {bid.card: bid.chance for bid in mix if bid.chance}
        worth = {bid.card: bid.worth for bid in mix}
        row = {
            "objective": objective,
            "value": clean_zero(found.value),
            "strategy": weights,
            "worth": worth,
        }
        click.echo(json.dumps(row))
        return
    click.echo(f"Value: {format_value(found.value, place, objective)}")
    print_table(build_strategies_table({"bid": mix}, BAR))
