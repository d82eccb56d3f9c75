"""`arena standings`: who is best, and how surely."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.cli.common import json_option, with_numbers
from arena.cli.lazy import Examples
from arena.cli.stored import the_store, the_tournament

if TYPE_CHECKING:
    from arena.tournament.figures import Figures
    from arena.tournament.formats.evenness import Evenness

FORMS = ("table", "markdown", "html", "csv", "svg")
SINGLE = ("csv", "svg")  # forms of which a file holds one sheet, or one picture


@click.command(
    cls=Examples,
    short_help="Rank the entrants of a tournament.",
    examples=(
        "standings hill.toml",
        "standings hill.db --head-to-head",
        "standings hill.db --format markdown",
        "standings hill.db --format svg > hill.svg",
        "standings hill.db --json",
    ),
)
@the_tournament
@click.option(
    "--head-to-head",
    "duels",
    is_flag=True,
    help="Show who finished ahead of whom; with csv that alone, with svg a heat map.",
)
@click.option("--evenness", is_flag=True, help="Say how evenly everybody has sat.")
@click.option("--nash", is_flag=True, help="Rank against the best mixture of all (Nash averaging).")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="For a terminal, for a post, a page, a spreadsheet, or as a picture.",
)
@json_option
@with_numbers
def standings(tournament: str, duels: bool, nash: bool, evenness: bool, form: str,
              as_json: bool) -> None:  # fmt: skip
    """Rank the entrants of TOURNAMENT, with intervals.

    TOURNAMENT is the tournament's file, or its database; it may be running. Ratings are Elo points
    above the mean, fitted anew from all stored matches; the interval holds with the level
    of the file (usually 95 %), with the deal as the unit of chance.
    """
    if as_json and form != "table":
        raise click.UsageError("--json is a form of its own, and --format another")
    if form in SINGLE and (nash or evenness):
        raise click.UsageError(f"--format {form} has no room for --nash and --evenness")
    known, even = _known(tournament, evenness=evenness)
    if as_json:
        for one in known.found:
            click.echo(json.dumps(one.pack()))
    elif form == "csv":
        click.echo(_csv(known, duels=duels), nl=False)
    elif form == "svg":
        click.echo(_svg(known, duels=duels), nl=False)
    else:
        _show(known, even, form, duels=duels, nash=nash)


def _known(tournament: str, *, evenness: bool) -> tuple[Figures, Evenness | None]:
    """Return what is known, and how even it is where that is asked for."""
    from arena.tournament.figures import Figures
    from arena.tournament.standings import how_even

    with the_store(tournament) as store:
        return Figures.of(store), how_even(store) if evenness else None


def _show(known: Figures, even: Evenness | None, form: str, *, duels: bool, nash: bool) -> None:
    """Print all sheets that are asked for, and below them what they cannot show."""
    from rich.console import Console

    from arena.tournament import ranking
    from arena.wires import Sheet, marked, paragraph

    console = Console(highlight=False)
    sheets = [
        *([ranking.own(known.own)] if known.own else []),
        ranking.sheet(known.found, console.width if form == "table" else 0),
        *([ranking.evenness(even)] if even else []),
        *([ranking.duels(known.met, known.fit)] if duels else []),
        *([ranking.nash(known.met)] if nash else []),
    ]
    remarks = [*known.remarks(), *(_unknown(known) if nash else ())]
    if form == "table":
        for one in sheets:
            console.print(one)
        for line in remarks:
            console.print(line, markup=False)
        return
    write, say = (Sheet.markdown, marked) if form == "markdown" else (Sheet.html, paragraph)
    click.echo("\n".join([*map(write, sheets), *(f"{say(line)}\n" for line in remarks)]), nl=False)


def _csv(known: Figures, *, duels: bool) -> str:
    from arena.tournament import ranking
    from arena.wires import csv_text

    if duels:
        return csv_text(ranking.PAIR, ranking.pairs(known.met, known.fit))
    return csv_text(ranking.FLAT, map(ranking.flat, known.found))


def _svg(known: Figures, *, duels: bool) -> str:
    from arena.tournament import chart

    if duels:
        played = f"{known.matches} matches of {known.game}"
        words = f"{played}: the row finished ahead of the column, in % (level counts half)"
        return chart.heat("Who beats whom", words, known.met, known.fit)
    return chart.ratings(known.found, known.game, known.matches, known.level)


def _unknown(known: Figures) -> Iterator[str]:
    """Say who has no part in a Nash average, since nothing is known."""
    from arena.tournament.plan import name_of

    matches = known.met.met.sum(axis=1).tolist()
    names = [name_of(one) for one, few in zip(known.met.entrants, matches, strict=True) if not few]
    if names:
        yield f"Without matches, and so without weight: {', '.join(names)}."
