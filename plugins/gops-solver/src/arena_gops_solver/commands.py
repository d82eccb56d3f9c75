"""`arena gops`: solve the game, and ask for strategies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import Refusal

if TYPE_CHECKING:
    from arena_gops_solver import Solved

OBJECTIVES = ("points", "win")
ROUNDING = 1e-7  # to which a worth is exact: strategies secure the value within 1e-9 of an entry
AT_ONCE = {"points": 11, "win": 9}  # cards up to which a game is solved when it is asked for

objective_option = click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default="points",
    show_default=True,
    help="What is maximised: the expected difference of points, or the chance to win.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="For programs: JSON lines.")


class Cards(click.ParamType[tuple[int, ...]]):
    """Cards such as `1,3,5`, each once."""

    name = "cards"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Give them in ascending order."""
        try:
            cards = tuple(sorted(int(word) for word in str(value).split(",")))
        except ValueError:
            self.fail(f"{value!r} are no cards; write 1,3,5", param, ctx)
        if len(set(cards)) < len(cards) or cards[0] < 1:
            self.fail(f"{value!r}: each card once, and 1 at least", param, ctx)
        return cards


CARDS = Cards()


@click.group()
def gops() -> None:
    r"""Solve GOPS exactly, for two players with the same cards and ties that nobody wins.

    \b
    Examples:
      arena gops solve --cards 13 --out gops13.table
      arena gops strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6
    """


@gops.command(short_help="Solve the game into a table.")
@click.option("--cards", type=click.IntRange(2, 16), required=True, help="How many each has.")
@objective_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file of the table.",
)
@click.option("--threads", type=click.IntRange(min=1), help="As many as there are cores.")
@json_option
def solve(cards: int, objective: str, out: Path, threads: int | None, as_json: bool) -> None:
    """Solve the game with so many CARDS into the file OUT, layer by layer.

    What is interrupted goes on from the last finished layer when it is called again.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from arena_gops_solver import Effort, Kind
    from arena_gops_solver import solve as solve_into

    effort = Effort(threads=threads) if threads else Effort()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{cards} cards, {objective}", total=1.0)
        table = solve_into(
            Kind(cards, objective), out, effort,
            lambda done: bar.update(task, completed=done.share),
        )  # fmt: skip
    size = out.stat().st_size
    row = {"file": str(out), "cards": cards, "objective": table.kind.objective, "bytes": size}
    click.echo(json.dumps(row) if as_json else f"{out}: {cards} cards, {objective}, {size} bytes")


@gops.command(short_help="Give the exact strategy of a position.")
@click.option("--mine", type=CARDS, required=True, help="My hand.")
@click.option("--theirs", type=CARDS, required=True, help="The other hand.")
@click.option("--prizes", type=CARDS, required=True, help="The prizes left, the one up among them.")
@click.option("--prize", type=click.IntRange(min=1), required=True, help="The one that is up.")
@click.option("--difference", type=int, default=0, help="Points that I am ahead; matters to win.")
@objective_option
@click.option(
    "--table",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A table that was solved; else the game is solved now, if it is small.",
)
@json_option
def strategy(  # noqa: PLR0917  # a command takes its options one by one
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

    solved = _solved(objective, max(*mine, *theirs, *prizes), table)
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


def _solved(objective: str, cards: int, file: Path | None) -> Solved:
    """Give the solved game from its table, or solve it into the user's cache."""
    from arena_gops_solver import Kind, Solved, Table, solve

    if file is not None:
        table = Table.open(file)
        if table.kind.objective != objective:
            raise Refusal(f"{file}: solved for {table.kind.objective}, not for {objective}")
        return Solved(table)
    if cards > AT_ONCE[objective]:
        raise Refusal(
            f"{cards} cards are too many to be solved now (at most {AT_ONCE[objective]});"
            f" say --table FILE, from: arena gops solve --cards {cards} --objective {objective}"
            " --out FILE"
        )
    kept = cache() / f"gops-{objective}-{cards}.table"
    kept.parent.mkdir(parents=True, exist_ok=True)
    return Solved(solve(Kind(cards, objective), kept))


def exact(value: float) -> float:
    """Give a value without what rounding has left of a zero."""
    return 0.0 if abs(value) < ROUNDING else float(value)


def cache() -> Path:
    """Give the folder of the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"


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
