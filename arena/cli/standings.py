"""`arena standings`: rank the entrants, with confidence intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import ExampleCommand
from arena.cli.support.shared_options import (
    json_option,
    open_store,
    require_tournament_extra,
    tournament_argument,
)

if TYPE_CHECKING:
    from arena.tournament.formats.seating import Evenness
    from arena.tournament.models import Anchor
    from arena.tournament.standings import Summary


class AnchorType(click.ParamType["Anchor"]):
    """An entrant with a fixed rating, as `NAME = RATING`."""

    name = "anchor"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Anchor:
        """Parse an anchor, or fail with a usage error."""
        from arena.tournament.models import Anchor

        try:
            return Anchor.parse(value)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


FORMATS = ("table", "markdown", "html", "csv", "svg")
SINGLE_SHEET_FORMATS = ("csv", "svg")  # one sheet or picture per file


@click.command(
    cls=ExampleCommand,
    short_help="Rank the entrants of a tournament.",
    examples=(
        "standings hill.toml",
        "standings hill.db --head-to-head",
        "standings hill.db --format markdown",
        "standings hill.db --format svg > hill.svg",
        "standings hill.db --json",
        "standings results.csv --anchor 'random = 0'",
    ),
)
@tournament_argument
@click.option(
    "--head-to-head",
    "duels",
    is_flag=True,
    help="Show how often each entrant beat each other one (csv: only that; svg: a heat map).",
)
@click.option(
    "--evenness", is_flag=True, help="Show how evenly seats and opponents were distributed."
)
@click.option(
    "--nash", is_flag=True, help="Rank against the best mixture of all entrants (Nash averaging)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="Format of the output.",
)
@click.option(
    "--anchor",
    type=AnchorType(),
    metavar="'NAME = RATING'",
    help="Fix the rating of this entrant. [default: that of the file, or else the mean is 0]",
)
@json_option
@require_tournament_extra
def standings(tournament: str, duels: bool, nash: bool, evenness: bool, form: str,
              anchor: Anchor | None, as_json: bool) -> None:  # fmt: skip
    """Rank the entrants of TOURNAMENT, with intervals.

    TOURNAMENT is the tournament's file or its database; it may be running. Or it is a file
    of results, .csv or .jsonl, as `arena export` or `arena match --json` write them. Ratings
    are Elo points relative to the mean, computed from all stored matches, with confidence
    intervals (95 %, unless the file sets another level) that treat each deal as one
    observation.
    """
    if as_json and form != "table":
        raise click.UsageError("--json and --format cannot be combined")
    if form in SINGLE_SHEET_FORMATS and (nash or evenness):
        raise click.UsageError(f"--format {form} cannot show --nash and --evenness")
    known, even = _compute_summary(tournament, anchor, evenness=evenness)
    if (duels or nash) and not known.has_opponents:
        raise click.UsageError(
            f"--{'head-to-head' if duels else 'nash'} needs opponents, but here nobody plays"
            " against anybody; `arena insights --compare` compares two bots"
        )
    if as_json:
        for standing in known.standings:
            click.echo(json.dumps(standing.pack()))
    elif form == "csv":
        click.echo(_render_csv(known, duels=duels), nl=False)
    elif form == "svg":
        click.echo(_render_svg(known, duels=duels), nl=False)
    else:
        _print_sheets(known, even, form, duels=duels, nash=nash)


def _compute_summary(
    tournament: str, anchor: Anchor | None, *, evenness: bool
) -> tuple[Summary, Evenness | None]:
    """Return the summary of a tournament or a file, and its seating balance if requested."""
    from arena.tournament.result_file import is_result_file, load_summary
    from arena.tournament.standings import Summary, measure_evenness

    if is_result_file(tournament):
        if evenness:
            raise click.UsageError("--evenness needs a tournament, not a file of results")
        return load_summary(Path(tournament), anchor), None
    with open_store(tournament) as store:
        return Summary.of(store, anchor), measure_evenness(store) if evenness else None


def _print_sheets(
    known: Summary, even: Evenness | None, form: str, *, duels: bool, nash: bool
) -> None:
    """Print the requested sheets, followed by remarks."""
    from rich.console import Console

    from arena.tournament import standings_tables
    from arena.wires import DataTable, escape_markdown, to_html_paragraph

    console = Console(highlight=False)
    width = console.width if form == "table" else 0
    tables = [
        *([standings_tables.build_format_table(known)] if known.format_ranking else []),
        standings_tables.build_standings_table(known.standings, width),
        *([standings_tables.build_evenness_table(even)] if even else []),
        *([standings_tables.build_duels_table(known, width)] if duels else []),
        *([standings_tables.build_nash_table(known)] if nash else []),
    ]
    remarks = [
        known.describe_scale(),
        *known.list_remarks(),
        *(_describe_unrated(known) if nash else ()),
    ]
    if form == "table":
        for table in tables:
            console.print(table)
        for line in remarks:
            console.print(line, markup=False)
        return
    write, say = (
        (DataTable.to_markdown, escape_markdown)
        if form == "markdown"
        else (DataTable.to_html, to_html_paragraph)
    )
    click.echo("\n".join([*map(write, tables), *(f"{say(line)}\n" for line in remarks)]), nl=False)


def _render_csv(known: Summary, *, duels: bool) -> str:
    from arena.tournament import standings_tables
    from arena.wires import to_csv

    if duels:
        return to_csv(standings_tables.PAIR, standings_tables.list_pairs(known))
    return to_csv(standings_tables.FLAT, map(standings_tables.flatten, known.standings))


def _render_svg(known: Summary, *, duels: bool) -> str:
    from arena.tournament import charts

    if duels:
        played = f"{known.matches} matches of {known.game}"
        words = f"{played}: the row finished ahead of the column, in % (ties count half)"
        return charts.render_heat_map("Who beats whom", words, known)
    return charts.render_ratings(
        known.standings, known.game, known.matches, known.level, known.unit
    )


def _describe_unrated(known: Summary) -> Iterator[str]:
    """Yield a line that lists the entrants without matches, which have no Nash rating."""
    matches = known.head_to_head.matches.sum(axis=1).tolist()
    names = [
        known.labels[entrant]
        for entrant, few in zip(known.head_to_head.entrants, matches, strict=True)
        if not few
    ]
    if names:
        yield f"Not ranked, because they have no matches: {', '.join(names)}."
