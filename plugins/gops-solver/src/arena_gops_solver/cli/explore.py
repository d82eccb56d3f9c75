"""`arena gops explore`: walk through the positions of the solved game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import UserError
from arena.wires import printable
from arena_gops_solver.cli.options import (
    HOW_MANY,
    exact,
    mine_option,
    objective_option,
    prizes_option,
    table_option,
    the_place,
    theirs_option,
)
from arena_gops_solver.cli.screen import show
from arena_gops_solver.cli.showing import bids, strategies, value_line

if TYPE_CHECKING:
    from rich.table import Table

    from arena_gops_solver.walk import Spot, Walk

PROMPT = "> "
BAR = 8  # characters, so that two strategies side by side fit into 80


@click.command(short_help="Walk through the positions of the solved game.")
@click.option("--cards", type=HOW_MANY, default=5, show_default=True,
              help="All have 1 to this, unless said below.")  # fmt: skip
@mine_option
@theirs_option
@prizes_option
@click.option("--prize", type=click.IntRange(min=1), help="The one that is up, if one is.")
@click.option("--difference", type=int, default=0, help="Points that I am ahead.")
@objective_option
@table_option
def explore(
    cards: int,
    mine: tuple[int, ...] | None,
    theirs: tuple[int, ...] | None,
    prizes: tuple[int, ...] | None,
    prize: int | None,
    difference: int,
    objective: str,
    table: Path | None,
) -> None:
    """Walk through the positions of the solved game, one line at a time.

    Each position shows both strategies, and what every bid is worth to the one who makes it. Type
    the prize that is turned up, then both bids, mine first; help says what else. Ctrl-D ends.
    """
    from arena_gops_solver.table_cache import solved as found_solved
    from arena_gops_solver.walk import Spot, Walk

    place = the_place(cards, mine, theirs, prizes, difference)
    most = max(cards, *place.mine, *place.theirs, *place.prizes)
    solved = found_solved(objective, most, table)
    solved.value(place)  # refuses what is no position
    spot = Spot(place) if prize is None else Spot(place).turned_up(prize)
    _walk(Walk(solved, (spot,)))


def _walk(walk: Walk) -> None:
    """Show where it is, and do what is typed, until the end."""
    from arena_gops_solver.walk import command

    _show(walk)
    for line in _typed():
        try:
            typed = command(line)
            if typed.name == "quit":
                return
            walk = walk.step(typed)
            SCREENS.get(typed.name, _show)(walk)
        except UserError as problem:
            click.echo(f"  That cannot be: {printable(str(problem))}")
    click.echo()


def _typed() -> Iterator[str]:
    """Ask for lines, up to the end of input; what is no text is not worth a failure.

    A line that nobody typed at a terminal is shown behind its prompt, as if somebody had.
    """
    click.echo(PROMPT, nl=False)
    if sys.stdin is None:  # it was closed before the program began
        return
    typed = sys.stdin.isatty()
    for raw in sys.stdin.buffer:
        line = raw.decode(errors="replace")
        if not typed:
            click.echo(printable(line.rstrip()))
        yield line
        click.echo(PROMPT, nl=False)


def _show(walk: Walk) -> None:
    """Show a position, and what can be typed."""
    from arena_gops_solver.walk import COMMANDS

    spot = walk.here
    for line in _position(spot):
        click.echo(line)
    if not spot.over:
        value, table = _prizes(walk) if spot.prize is None else _strategies(walk)
        objective = walk.solved.table.objective
        click.echo(f"Value:  {value_line(value, spot.place, objective)}")
        show(table)
    click.echo(f"Now {walk.due}\n  or: {' '.join(COMMANDS)}")


def _position(spot: Spot) -> Iterator[str]:
    """Say what lies on the table."""
    from arena_gops_solver.positions import listed

    place = spot.place
    yield f"\nMine:   {listed(place.mine)}"
    yield f"Theirs: {listed(place.theirs)}"
    yield f"Prizes: {listed(place.prizes)}" + (f", and {spot.prize} is up" if spot.prize else "")
    ahead = "ahead" if place.difference > 0 else "behind"
    bids = [f"{each.mine} to {each.theirs} for {each.prize}" for each in spot.rounds]
    yield f"Bids:   {', '.join(bids) or '-'}"
    yield f"Score:  {f'{abs(place.difference)} {ahead}' if place.difference else 'level'}"


def _strategies(walk: Walk) -> tuple[float, Table]:
    """Return the value, and both strategies; what a bid is worth is meant for who makes it."""
    place, matrix = walk.here.place, walk.here.matrix(walk.solved)
    found = walk.here.strategy(walk.solved)
    sides = {
        "mine": bids(place.mine, found.weights, found.worth),
        "theirs": bids(place.theirs, found.theirs, -found.weights @ matrix),
    }
    return found.value, strategies(sides, BAR)


def _prizes(walk: Walk) -> tuple[float, Table]:
    """Return the value, and what it is with each prize turned up."""
    from rich.table import Table

    spot, solved = walk.here, walk.solved
    table = Table()
    for heading in ("prize", "value"):
        table.add_column(heading, justify="right", no_wrap=True)
    for prize in spot.place.prizes:
        value = spot.turned_up(prize).strategy(solved).value
        table.add_row(str(prize), f"{exact(value):+.4f}")
    return solved.value(spot.place), table


def _matrix(walk: Walk) -> None:
    """Print the game for the prize that is up."""
    matrix, place = walk.here.matrix(walk.solved), walk.here.place
    click.echo("What each pair of bids is worth to me; mine down, theirs across:")
    click.echo("".join(f"{card:8}" for card in ("", *place.theirs)))
    for card, row in zip(place.mine, matrix, strict=True):
        click.echo(f"{card:8}" + "".join(f"{exact(each):+8.3f}" for each in row))


def _help(walk: Walk) -> None:
    """Say what can be typed here, and what it does."""
    from arena_gops_solver.walk import COMMANDS

    click.echo(f"Now {walk.due}")
    for name, does in COMMANDS.items():
        click.echo(f"  {name:10}{does}")


SCREENS = {"matrix": _matrix, "help": _help}
