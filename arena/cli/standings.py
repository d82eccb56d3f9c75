"""`arena standings`: who is best, and how surely."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from attrs import frozen

from arena.cli.common import json_option, with_numbers
from arena.cli.lazy import Examples
from arena.cli.stored import the_store, the_tournament

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tournament.formats.evenness import Evenness
    from arena.tournament.plan import Id
    from arena.tournament.ratings import HeadToHead, Ratings
    from arena.tournament.results import Results
    from arena.tournament.standings import Standing

DOUBT = 0.05  # that a cycle which is named is none
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
    known = _known(tournament, evenness=evenness)
    if as_json:
        for one in known.found:
            click.echo(json.dumps(one.pack()))
    elif form == "csv":
        click.echo(_csv(known, duels=duels), nl=False)
    elif form == "svg":
        click.echo(_svg(known, duels=duels), nl=False)
    else:
        _show(known, form, duels=duels, nash=nash)


@frozen
class Known:
    """What is known of a tournament."""

    game: str
    level: float
    results: Results  # that the ratings are fitted to
    fit: Ratings
    met: HeadToHead
    found: Sequence[Standing]
    own: Sequence[tuple[Id, float | str]]
    even: Evenness | None  # where it was asked for


def _known(tournament: str, *, evenness: bool) -> Known:
    from arena.tournament.ratings import head_to_head
    from arena.tournament.standings import fair, how_even, own_ranking, ranked, rated

    with the_store(tournament) as store:
        results = store.results()
        fit = rated(store, results)
        return Known(
            store.fact("tournament")["game"],
            fit.level,
            fair(store, results),
            fit,
            head_to_head(results),
            ranked(store, results, fit),
            own_ranking(store),
            how_even(store) if evenness else None,
        )


def _show(known: Known, form: str, *, duels: bool, nash: bool) -> None:
    """Print all sheets that are asked for, and below them what they cannot show."""
    from rich.console import Console

    from arena.tournament import ranking
    from arena.wires import Sheet, marked, paragraph

    console = Console(highlight=False)
    sheets = [
        *([ranking.own(known.own)] if known.own else []),
        ranking.sheet(known.found, console.width if form == "table" else 0),
        *([ranking.evenness(known.even)] if known.even else []),
        *([ranking.duels(known.met, known.fit)] if duels else []),
        *([ranking.nash(known.met)] if nash else []),
    ]
    remarks = [*_remarks(known), *(_unknown(known) if nash else ())]
    if form == "table":
        for one in sheets:
            console.print(one)
        for line in remarks:
            console.print(line, markup=False)
        return
    write, say = (Sheet.markdown, marked) if form == "markdown" else (Sheet.html, paragraph)
    click.echo("\n".join([*map(write, sheets), *(f"{say(line)}\n" for line in remarks)]), nl=False)


def _csv(known: Known, *, duels: bool) -> str:
    from arena.tournament import ranking
    from arena.wires import csv_text

    if duels:
        return csv_text(ranking.PAIR, ranking.pairs(known.met, known.fit))
    return csv_text(ranking.FLAT, map(ranking.flat, known.found))


def _svg(known: Known, *, duels: bool) -> str:
    from arena.tournament import chart

    matches = len(known.results.deal)
    if duels:
        played = f"{matches} matches of {known.game}"
        words = f"{played}: the row finished ahead of the column, in % (level counts half)"
        return chart.heat("Who beats whom", words, known.met, known.fit)
    return chart.ratings(known.found, known.game, matches, known.level)


def _remarks(known: Known) -> Iterator[str]:
    """Say what a ranking cannot show."""
    from arena.tournament.plan import name_of
    from arena.tournament.ratings import connectivity, dominance
    from arena.tournament.records import State

    aside = [one for one in known.found if one.entry.state is State.ASIDE and not one.rated]
    for one in aside:
        many = "1 match" if one.matches == 1 else f"{one.matches} matches"
        yield f"{one.entry.name} was set aside after {many}, and is left out of the ratings."
    groups = [group for group in connectivity(known.results).groups if len(group) > 1]
    if len(groups) > 1:
        listed = " | ".join(", ".join(map(name_of, group)) for group in groups)
        yield f"These never met; ratings compare only within a group: {listed}"
    pairs = max(1, len(known.met.entrants) * (len(known.met.entrants) - 1) // 2)
    cycle = dominance(known.met, 1 - DOUBT / pairs).cycle  # among many pairs some differ by chance
    if cycle:
        names = map(name_of, (*cycle, cycle[0]))
        yield f"The order is not transitive: {' beats '.join(names)}."


def _unknown(known: Known) -> Iterator[str]:
    """Say who has no part in a Nash average, since nothing is known."""
    from arena.tournament.plan import name_of

    matches = known.met.met.sum(axis=1).tolist()
    names = [name_of(one) for one, few in zip(known.met.entrants, matches, strict=True) if not few]
    if names:
        yield f"Without matches, and so without weight: {', '.join(names)}."
