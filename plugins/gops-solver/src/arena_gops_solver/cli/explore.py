"""`arena gops explore`: walk through the positions of the solved game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import UserError
from arena.extend import to_printable
from arena_gops_solver.cli.options import (
    HOW_MANY,
    build_place,
    clean_zero,
    mine_option,
    objective_option,
    prizes_option,
    table_option,
    theirs_option,
)
from arena_gops_solver.cli.strategy_table import build_bids, build_strategies_table, format_value
from arena_gops_solver.cli.terminal_output import print_table

if TYPE_CHECKING:
    from rich.table import Table

    from arena_gops_solver.explorer import ExplorerPosition, PositionExplorer

PROMPT = "> "
BAR = 8  # characters, so that two strategies side by side fit into 80


@click.command(short_help="Explore the positions of the solved game.")
@click.option("--cards", type=HOW_MANY, default=5, show_default=True,
              help="Hands and prizes are 1 to this number by default.")  # fmt: skip
@mine_option
@theirs_option
@prizes_option
@click.option("--prize", type=click.IntRange(min=1), help="Prize that is turned up, if any.")
@click.option("--difference", type=int, default=0, help="Points by which I am ahead.")
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
    """Explore the positions of the solved game, one line at a time.

    Each position shows both strategies, and the value of every bid for the player who makes it.
    Type the prize that is turned up, then both bids, mine first. Type `help` for the other
    commands, and press Ctrl-D to quit.
    """
    from arena_gops_solver.explorer import ExplorerPosition, PositionExplorer
    from arena_gops_solver.table_cache import find_solution as found_solved

    place = build_place(cards, mine, theirs, prizes, difference)
    most = max(cards, *place.mine, *place.theirs, *place.prizes)
    solved = found_solved(objective, most, table)
    solved.compute_value(place)  # raises UserError for an impossible position
    spot = ExplorerPosition(place) if prize is None else ExplorerPosition(place).turn_up(prize)
    _walk(PositionExplorer(solved, (spot,)))


def _walk(walk: PositionExplorer) -> None:
    """Show the position and run the commands typed, until the end."""
    from arena_gops_solver.explorer import parse_command

    _show(walk)
    for line in _read_lines():
        try:
            typed = parse_command(line)
            if typed.name == "quit":
                return
            walk = walk.step(typed)
            SCREENS.get(typed.name, _show)(walk)
        except UserError as problem:
            click.echo(f"  Invalid: {to_printable(str(problem))}")
    click.echo()


def _read_lines() -> Iterator[str]:
    """Prompt for lines until the end of input; invalid UTF-8 does not raise.

    A line from a pipe is shown after its prompt, as if it had been typed.
    """
    click.echo(PROMPT, nl=False)
    if sys.stdin is None:  # closed before the start of the program
        return
    typed = sys.stdin.isatty()
    for raw in sys.stdin.buffer:
        line = raw.decode(errors="replace")
        if not typed:
            click.echo(to_printable(line.rstrip()))
        yield line
        click.echo(PROMPT, nl=False)


def _show(walk: PositionExplorer) -> None:
    """Show a position and a prompt."""
    from arena_gops_solver.explorer import COMMANDS

    spot = walk.here
    for line in _format_position(spot):
        click.echo(line)
    if not spot.over:
        value, table = _build_prizes(walk) if spot.prize is None else _build_strategies(walk)
        objective = walk.solved.table.objective
        click.echo(f"Value:  {format_value(value, spot.place, objective)}")
        print_table(table)
    click.echo(f"Now {walk.due}\n  or: {' '.join(COMMANDS)}")


def _format_position(spot: ExplorerPosition) -> Iterator[str]:
    """Yield the lines that describe the position."""
    from arena_gops_solver.positions import format_cards

    place = spot.place
    yield f"\nMine:   {format_cards(place.mine)}"
    yield f"Theirs: {format_cards(place.theirs)}"
    yield f"Prizes: {format_cards(place.prizes)}" + (
        f", and {spot.prize} is up" if spot.prize else ""
    )
    ahead = "ahead" if place.difference > 0 else "behind"
    bids = [f"{each.mine} to {each.theirs} for {each.prize}" for each in spot.rounds]
    yield f"Bids:   {', '.join(bids) or '-'}"
    yield f"Score:  {f'{abs(place.difference)} {ahead}' if place.difference else 'level'}"


def _build_strategies(walk: PositionExplorer) -> tuple[float, Table]:
    """Return the value and both strategies; each bid has its value for its own player."""
    place, matrix = walk.here.place, walk.here.build_matrix(walk.solved)
    found = walk.here.find_strategy(walk.solved)
    sides = {
        "mine": build_bids(place.mine, found.weights, found.worth),
        "theirs": build_bids(place.theirs, found.theirs, -found.weights @ matrix),
    }
    return found.value, build_strategies_table(sides, BAR)


def _build_prizes(walk: PositionExplorer) -> tuple[float, Table]:
    """Return the value, and the value with each prize turned up."""
    from rich.table import Table

    spot, solved = walk.here, walk.solved
    table = Table()
    for heading in ("prize", "value"):
        table.add_column(heading, justify="right", no_wrap=True)
    for prize in spot.place.prizes:
        value = spot.turn_up(prize).find_strategy(solved).value
        table.add_row(str(prize), f"{clean_zero(value):+.4f}")
    return solved.compute_value(spot.place), table


def _print_matrix(walk: PositionExplorer) -> None:
    """Print the game for the prize that is up."""
    matrix, place = walk.here.build_matrix(walk.solved), walk.here.place
    click.echo("The value of each pair of bids for me (rows: my bids, columns: theirs):")
    click.echo("".join(f"{card:8}" for card in ("", *place.theirs)))
    for card, row in zip(place.mine, matrix, strict=True):
        click.echo(f"{card:8}" + "".join(f"{clean_zero(each):+8.3f}" for each in row))


def _print_help(walk: PositionExplorer) -> None:
    """Print the commands and their descriptions."""
    from arena_gops_solver.explorer import COMMANDS

    click.echo(f"Now {walk.due}")
    for name, does in COMMANDS.items():
        click.echo(f"  {name:10}{does}")


SCREENS = {"matrix": _print_matrix, "help": _print_help}
