"""What a tournament came to: `arena standings`, `matches`, `transcript`, `export`, `insights`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import (
    ExampleCommand,
    MatchKeyType,
    build_text_table,
    json_option,
    require_tournament_extra,
    tournament_argument,
)
from arena.rules import End, Fault
from arena.tournament.results.export_formats import EXPORT_FORMATS
from arena.wires import to_printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.tournament import BotComparison
    from arena.tournament.anchor import Anchor
    from arena.tournament.formats.evenness import Evenness
    from arena.tournament.match_record import (
        ReplacedResult,
        ReplacedSeat,
        SeatRecord,
        StoredMatch,
        VerdictRecord,
    )
    from arena.tournament.results.standings import Standing
    from arena.tournament.results.summary import Summary


class AnchorType(click.ParamType["Anchor"]):
    """An entrant with a fixed rating, as `NAME = RATING`."""

    name = "anchor"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Anchor:
        """Parse an anchor, or fail with a usage error."""
        from arena.tournament.anchor import Anchor

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
@click.option(
    "--all", "everybody", is_flag=True, help="List versions that have left, too, in any format."
)
@json_option
@require_tournament_extra
def standings(tournament: str, duels: bool, nash: bool, evenness: bool, form: str,
              anchor: Anchor | None, everybody: bool, as_json: bool) -> None:  # fmt: skip
    """Rank the entrants of TOURNAMENT, with intervals.

    TOURNAMENT is the tournament's file or its database; it may be running. Or it is a file
    of results, .csv or .jsonl, as `arena export` or `arena match --json` write them. Ratings
    are Elo points relative to the mean, computed from all stored matches, with confidence
    intervals (95 %, unless the file sets another level) that treat each deal as one
    observation. Versions that were replaced or withdrawn are not listed; the results of those that
    played last count for the ratings.
    """
    if as_json and form != "table":
        raise click.UsageError("--json and --format cannot be combined")
    if form in SINGLE_SHEET_FORMATS and (nash or evenness):
        raise click.UsageError(f"--format {form} cannot show --nash and --evenness")
    known, even = _compute_summary(tournament, anchor, evenness=evenness)
    rows = known.standings if everybody else known.present
    if (duels or nash) and not known.has_opponents:
        raise click.UsageError(
            f"--{'head-to-head' if duels else 'nash'} needs opponents, but the game is"
            " cooperative; `arena insights --compare` compares two bots"
        )
    if as_json:
        for standing in rows:
            click.echo(json.dumps(standing.pack()))
    elif form == "csv":
        click.echo(_render_csv(known, rows, duels=duels), nl=False)
    elif form == "svg":
        click.echo(_render_svg(known, rows, duels=duels), nl=False)
    else:
        _print_sheets(known, rows, even, form, duels=duels, nash=nash)


def _compute_summary(
    tournament: str, anchor: Anchor | None, *, evenness: bool
) -> tuple[Summary, Evenness | None]:
    """Return the summary of a tournament or a file, and its seating balance if requested."""
    from arena.tournament import TournamentResults
    from arena.tournament.results.result_files import is_result_file, load_summary

    if is_result_file(tournament):
        if evenness:
            raise click.UsageError("--evenness needs a tournament, not a file of results")
        return load_summary(Path(tournament), anchor), None
    results = TournamentResults.open(tournament)
    summary = results.summary(anchor)
    return summary, results.evenness() if evenness else None


def _print_sheets(
    known: Summary, rows: Sequence[Standing], even: Evenness | None, form: str, *, duels: bool,
    nash: bool,
) -> None:  # fmt: skip
    """Print the requested sheets, followed by remarks."""
    from rich.console import Console

    from arena.tables import DataTable, escape_markdown, to_html_paragraph
    from arena.tournament.results import standings_tables

    console = Console(highlight=False)
    width = console.width if form == "table" else 0
    tables = [
        *([standings_tables.build_format_table(known)] if known.format_ranking else []),
        standings_tables.build_standings_table(rows, width),
        *([standings_tables.build_evenness_table(even)] if even else []),
        *([standings_tables.build_duels_table(known, width)] if duels else []),
        *([standings_tables.build_nash_table(known)] if nash else []),
    ]
    remarks = [
        *_describe_departed(len(known.standings) - len(rows)),
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


def _describe_departed(number: int) -> Iterator[str]:
    """Yield a line that says how many versions are not listed."""
    if number:
        versions = "1 version that has" if number == 1 else f"{number} versions that have"
        yield f"{versions} left: see --all."


def _render_csv(known: Summary, rows: Sequence[Standing], *, duels: bool) -> str:
    from attrs import asdict, fields_dict

    from arena.tables import to_csv
    from arena.tournament.results import standings, standings_tables

    if duels:
        names = tuple(fields_dict(standings_tables.PairResult))
        pairs = standings_tables.list_pairs(known)
        return to_csv(names, (asdict(pair, recurse=False) for pair in pairs))
    return to_csv([*standings.COLUMNS], (row.to_record() for row in rows))


def _render_svg(known: Summary, rows: Sequence[Standing], *, duels: bool) -> str:
    from arena.tournament.results import charts

    if duels:
        played = f"{known.matches} matches of {known.game}"
        words = f"{played}: the row finished ahead of the column, in % (ties count half)"
        return charts.render_heat_map("Who beats whom", words, known)
    return charts.render_ratings(rows, known.game, known.matches, known.level, known.unit)


def _describe_unrated(known: Summary) -> Iterator[str]:
    """Yield a line that lists the entrants without matches, which have no Nash rating."""
    matches = known.head_to_head.count_meetings().tolist()
    names = [
        known.labels[entrant]
        for entrant, few in zip(known.head_to_head.entrants, matches, strict=True)
        if not few
    ]
    if names:
        yield f"Not ranked, because they have no matches: {', '.join(names)}."


HEADINGS = ("match", "seats: place name score", "verdicts", "outcome")
MAX_BOTS = 2  # whose matches against each other are listed
DEFAULT_LIMIT = 50  # matches
MAX_LIMIT = 10**15
VERDICT_KINDS = [str(fault) for fault in Fault]
ENDS = [str(end) for end in End]


@click.command(
    cls=ExampleCommand,
    short_help="List matches of a tournament.",
    examples=(
        "matches hill.toml --bot mine --verdict timeout",
        "matches hill.toml --bot mine --bot theirs",
        "matches hill.db --limit 5 --json",
    ),
)
@tournament_argument
@click.option("--bot", "bots", metavar="NAME", multiple=True,
              help="Only matches of this entrant (NAME, or NAME@VERSION); twice: of these two"
              " against each other.")  # fmt: skip
@click.option("--verdict", type=click.Choice(VERDICT_KINDS), help="Only matches with this verdict.")
@click.option("--outcome", type=click.Choice(ENDS), help="Only matches with this outcome.")
@click.option("--stage", metavar="WORDS", help="Only matches of this stage, such as final.")
@click.option("--limit", type=click.IntRange(0, MAX_LIMIT), default=DEFAULT_LIMIT,
              show_default=True, help="Maximum number of matches.")  # fmt: skip
@json_option
@require_tournament_extra
def matches(tournament: str, bots: tuple[str, ...], verdict: str | None, outcome: str | None,
            stage: str | None, limit: int, as_json: bool) -> None:  # fmt: skip
    """List matches of TOURNAMENT, the newest first.

    TOURNAMENT is the tournament's file or its database. With --bot, --verdict looks for
    verdicts of that bot only, the first one of two.
    """
    from arena.tournament import TournamentResults

    if len(bots) > MAX_BOTS:
        raise click.UsageError(f"--bot was given {len(bots)} times: give it once or twice")
    bot, against = (*bots, None, None)[:MAX_BOTS]
    results = TournamentResults.open(tournament).iter_matches(
        bot=bot, against=against, verdict=verdict, outcome=outcome, stage=stage, limit=limit
    )
    if as_json:
        for match in results:
            click.echo(json.dumps(match.pack()))
    else:
        _print_table(map(_format_row, results))


def _print_table(rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console

    Console(highlight=False).print(build_text_table(HEADINGS, rows))


def _format_row(match: StoredMatch) -> tuple[str, ...]:
    seats = [f"{seat.place or '-'} {_format_player(seat)}" for seat in match.seats]
    verdicts = [
        to_printable(line)
        for seat in match.seats
        if seat.failure
        for line in _describe_verdict(seat, seat.failure)
    ]
    results = [f"{match.end} {match.detail}", *map(_describe_replaced, match.replaced)]
    outcome = "\n".join(to_printable(result.strip()) for result in results)
    return match.match, " · ".join(seats), "\n".join(verdicts), outcome


def _describe_replaced(result: ReplacedResult) -> str:
    """Describe a result that was replaced by playing the match again."""
    seats = [f"{seat.place} {_format_player(seat)}" for seat in result.seats if seat.place]
    return f"replaces {result.end} {result.detail or ' · '.join(seats)}"


def _describe_verdict(seat: SeatRecord, verdict: VerdictRecord) -> Iterator[str]:
    """Yield a seat's verdict, and the lines of its output."""
    from arena.records import describe_verdict
    from arena.rules import quote_output

    yield f"{seat.name}: {verdict.kind}: {describe_verdict(verdict.pack())}"
    for line in quote_output(verdict.kind, verdict.line, seat.stderr or ""):
        yield f"  {line}"


def _format_player(seat: SeatRecord | ReplacedSeat) -> str:
    score = "" if seat.score is None else f"{seat.score:g}"
    return f"{seat.name} {score}"


@click.command(
    cls=ExampleCommand,
    short_help="Print a match's transcript.",
    examples=(
        "transcript hill.toml 17.0 > match.jsonl",
        "transcript hill.toml 17.0 | arena replay - --as 1",
    ),
)
@tournament_argument
@click.argument("key", type=MatchKeyType())
@require_tournament_extra
def transcript(tournament: str, key: str) -> None:
    """Print the transcript of the match KEY of TOURNAMENT, as `arena replay` reads it."""
    from arena.tournament import TournamentResults

    sys.stdout.buffer.write(TournamentResults.open(tournament).transcript(key).text.encode())


@click.command(
    cls=ExampleCommand,
    short_help="Export a tournament's results.",
    examples=("export hill.toml --format csv > hill.csv",
              "export hill.db --format parquet --out hill.parquet"),
)  # fmt: skip
@tournament_argument
@click.option("--format", "form", type=click.Choice(EXPORT_FORMATS), default="csv",
              show_default=True, help="Format of the output.")  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write to this file. [default: standard output]"
)
@require_tournament_extra
def export(tournament: str, form: str, out: Path | None) -> None:
    """Write a row for each seat of each match of TOURNAMENT."""
    from arena.tournament import TournamentResults

    TournamentResults.open(tournament).export(out, format=form)


@click.command(
    cls=ExampleCommand,
    short_help="Show playing styles.",
    examples=(
        "insights hill.toml",
        "insights hill.db --bot mine",
        "insights hill.db --compare mine theirs",
        "insights hill.db --json",
    ),
)
@tournament_argument
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME",
    help="Show this entrant with all plots (NAME, or NAME@VERSION); may be repeated.",
)
@click.option(
    "--compare",
    "pair",
    nargs=2,
    metavar="NAME NAME",
    help="Show two entrants side by side: ratings, results and playing styles.",
)
@json_option
@require_tournament_extra
def insights(tournament: str, bots: tuple[str, ...], pair: tuple[str, str] | None,
             as_json: bool) -> None:  # fmt: skip
    """Show the playing styles of a TOURNAMENT, as observed in its transcripts.

    TOURNAMENT is the tournament's file or its database; it may be running. A deal counts once all
    its rotations are over. The counts are stored beside the database, so the next call reads only
    new matches.
    """
    from rich.console import Console

    from arena.tournament import TournamentResults

    results = TournamentResults.open(tournament)
    if pair and bots:
        raise click.UsageError("--compare and --bot cannot be combined")
    if pair:
        _print_comparison(results.compare(*pair), as_json=as_json)
        return
    styles = results.insights()
    if bots:
        styles = styles.choose(bots)
    if as_json:
        for style in styles:
            click.echo(json.dumps(style.pack()))
    elif not styles:
        click.echo("No deals are over yet, or no transcripts were kept.")
    elif bots:
        console = Console(highlight=False)
        for table in [table for style in styles for table in style.build_tables()]:
            console.print(table)
    else:
        Console(highlight=False).print(styles)


def _print_comparison(comparison: BotComparison, *, as_json: bool) -> None:
    """Print two entrants side by side."""
    from rich.console import Console

    if as_json:
        click.echo(json.dumps(comparison.pack()))
        return
    console = Console(highlight=False)
    for table in comparison.build_tables():
        console.print(table)
