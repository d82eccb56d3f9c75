"""`arena gops solve`, `strategy` and `explore`: solve the game, and see its solution.

People see strategies as a table with a bar for each bid.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from arena import UserError
from arena.cli.support.commands import ExampleCommand
from arena.wires import to_printable
from arena_gops_solver.bots import CARDS
from arena_gops_solver.cli.shared import (
    HOW_MANY,
    build_place,
    can_show,
    clean_zero,
    json_option,
    mine_option,
    objective_option,
    print_table,
    prizes_option,
    show_progress,
    table_option,
    theirs_option,
)

if TYPE_CHECKING:
    from rich.bar import Bar
    from rich.table import Table

    from arena_gops_solver.explorer import ExplorerPosition, PositionExplorer
    from arena_gops_solver.positions import SolverPosition
    from arena_gops_solver.solver import SolveProgress

PROMPT = "> "
BAR = 20  # characters
NARROW_BAR = 8  # characters, so that two strategies side by side fit into 80


@click.command(
    cls=ExampleCommand,
    short_help="Solve the game into a table.",
    examples=("gops solve --cards 13", "gops solve --cards 5 --objective win --out five.table"),
)
@click.option("--cards", type=HOW_MANY, required=True, help="Number of cards of each player.")
@objective_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the table. Default: in the cache, where the bots look for it.",
)
@click.option("--threads", type=click.IntRange(1, 1024), help="Default: one per core.")
@click.option(
    "--precision",
    type=click.Choice(("float64", "float32", "int16")),
    help="How numbers are stored. Default: float64; int16 from 13 cards on to win.",
)
@click.option("--play-only", is_flag=True, help="Leave out the layers that bots solve during play.")
@json_option
def solve(
    cards: int,
    objective: str,
    out: Path | None,
    threads: int | None,
    precision: str | None,
    play_only: bool,
    as_json: bool,
) -> None:
    """Solve the game with this number of cards, layer by layer, into a table.

    After an interruption, run the command again: it continues where it was, within a minute's
    work. With --json, there is a line for each layer, with the seconds since the start.
    """
    from arena_gops_solver import Parallelism
    from arena_gops_solver import solve as solve_into
    from arena_gops_solver.table_cache import choose_table, get_table_path
    from arena_gops_solver.value_table import translate_errors

    kind = choose_table(cards, objective, precision, play_only=play_only)
    out = out or get_table_path(kind)
    with translate_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    effort = Parallelism(threads=threads) if threads else Parallelism()
    began = time.monotonic()

    def tell(progress: SolveProgress) -> None:
        report(progress.share)
        if progress.finished and as_json:
            seconds, left = time.monotonic() - began, progress.seconds_left
            row = {
                "layer": progress.layer,
                "numbers": progress.numbers,
                "seconds": round(seconds, 2),
                "seconds_left": None if left is None else round(left, 2),
            }
            click.echo(json.dumps(row))

    with show_progress(f"{cards} cards, {objective}") as report:
        solve_into(kind, out, effort, tell)
    size = out.stat().st_size
    row = {"file": str(out), "cards": cards, "objective": objective, "bytes": size}
    click.echo(json.dumps(row) if as_json else f"{out}: {cards} cards, {objective}, {size} bytes")


@click.command(
    cls=ExampleCommand,
    short_help="Show the exact strategy of a position.",
    examples=(
        "gops strategy --cards 5 --prize 3",
        "gops strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6 --json",
    ),
)
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
    from arena_gops_solver.table_cache import find_solution

    place = build_place(cards, mine, theirs, prizes, difference)
    most = max(cards or CARDS[0], *place.mine, *place.theirs, *place.prizes)
    try:
        solution = find_solution(objective, most, table)
    except UserError as problem:
        guessed = f" ({most} is the highest card here; --cards says otherwise)"
        raise UserError(f"{problem}{'' if cards else guessed}") from None
    found = find_equilibrium(solution.build_stage(place, prize))
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
    click.echo(f"Value: {format_position_value(found.value, place, objective)}")
    print_table(build_strategies_table({"bid": mix}, BAR))


@click.command(
    cls=ExampleCommand,
    short_help="Explore the positions of the solved game.",
    examples=(
        "gops explore --cards 4",
        "gops explore --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6",
    ),
)
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
    from arena_gops_solver.table_cache import find_solution

    place = build_place(cards, mine, theirs, prizes, difference)
    most = max(cards, *place.mine, *place.theirs, *place.prizes)
    solved = find_solution(objective, most, table)
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
        click.echo(f"Value:  {format_position_value(value, spot.place, objective)}")
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
    return found.value, build_strategies_table(sides, NARROW_BAR)


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


def build_bids(
    cards: Iterable[int], chances: Iterable[float], worth: Iterable[float]
) -> list[BidRow]:
    """Return the bids of a strategy, one for each card."""
    rows = zip(cards, chances, worth, strict=True)
    return [BidRow(card, float(chance), clean_zero(each)) for card, chance, each in rows]


@frozen
class BidRow:
    """A card, the probability of its bid, and its value against the other player's strategy."""

    card: int
    chance: float
    worth: float


def build_strategies_table(sides: Mapping[str, Sequence[BidRow]], width: int) -> Table:
    """Return a table of the strategies side by side, by the names of the cards.

    `width` is that of the bar of a certain bid, in characters. A narrow terminal has no bars.
    """
    table = _build_columns(sides, width)
    return table if can_show(table) else _build_columns(sides, 0)


def _build_columns(sides: Mapping[str, Sequence[BidRow]], width: int) -> Table:
    from rich.table import Table

    table = Table()
    for name in sides:
        for heading in (name, "chance", *([""] if width else []), "worth"):
            table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for row in zip(*sides.values(), strict=True):
        table.add_row(*[cell for bid in row for cell in _build_cells(bid, width)])
    return table


def _build_cells(bid: BidRow, width: int) -> list[str | Bar]:
    from rich.bar import Bar

    bars = [Bar(1, 0, round(bid.chance, 4), width=width)] if width else []
    return [str(bid.card), f"{bid.chance:.4f}", *bars, f"{bid.worth:+.4f}"]


def format_position_value(value: float, place: SolverPosition, objective: str) -> str:
    """Format the value of a position: in points, also with the points won so far."""
    told = f"{clean_zero(value):+.4f}"
    if objective == "points" and place.difference:
        told += f" of the prizes left, {clean_zero(value + place.difference):+.4f} in all"
    return f"{told} ({objective})"
