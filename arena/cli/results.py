"""`arena matches`, `arena transcript`, `arena export`: stored results of a tournament."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import ExampleCommand
from arena.cli.support.shared_options import (
    MatchKeyType,
    build_text_table,
    json_option,
    open_store,
    require_tournament_extra,
    tournament_argument,
)
from arena.rules import End, Fault, UserError
from arena.wires import to_printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HEADINGS = ("match", "seats: place name score", "verdicts", "outcome")
DEFAULT_LIMIT = 50  # matches
MAX_LIMIT = 10**15
VERDICT_KINDS = [str(fault) for fault in Fault]
ENDS = [str(end) for end in End]


@click.command(
    cls=ExampleCommand,
    short_help="List matches of a tournament.",
    examples=("matches hill.toml --bot mine --verdict timeout", "matches hill.db --limit 5 --json"),
)
@tournament_argument
@click.option("--bot", metavar="NAME", help="Only matches of this entrant (NAME, or NAME@VERSION).")
@click.option("--verdict", type=click.Choice(VERDICT_KINDS), help="Only matches with this verdict.")
@click.option("--outcome", type=click.Choice(ENDS), help="Only matches with this outcome.")
@click.option("--stage", metavar="WORDS", help="Only matches of this stage, such as final.")
@click.option("--limit", type=click.IntRange(0, MAX_LIMIT), default=DEFAULT_LIMIT,
              show_default=True, help="Maximum number of matches.")  # fmt: skip
@json_option
@require_tournament_extra
def matches(tournament: str, bot: str | None, verdict: str | None, outcome: str | None,
            stage: str | None, limit: int, as_json: bool) -> None:  # fmt: skip
    """List matches of TOURNAMENT, the newest first.

    TOURNAMENT is the tournament's file or its database. With --bot, --verdict looks for
    verdicts of that bot only.
    """
    from arena.tournament.store import MatchFilter

    which = MatchFilter(bot, verdict, outcome, stage, limit, newest=True)
    with open_store(tournament) as store:
        found = store.find_matches(which)
        if as_json:
            for match in found:
                click.echo(json.dumps(match))
            return
        _print_table(map(_format_row, found))


def _print_table(rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console

    Console(highlight=False).print(build_text_table(HEADINGS, rows))


def _format_row(match: Mapping[str, Any]) -> tuple[str, ...]:
    seats = [
        f"{seat['place'] or '-'} {seat['name']} {_format_score(seat['score'])}"
        for seat in match["seats"]
    ]
    verdicts = [
        to_printable(line)
        for seat in match["seats"]
        if seat["verdict"]
        for line in _describe_verdict(seat)
    ]
    results = [f"{match['outcome']} {match['detail']}", *map(_describe_replaced, match["replaced"])]
    outcome = "\n".join(to_printable(result.strip()) for result in results)
    return match["match"], " · ".join(seats), "\n".join(verdicts), outcome


def _describe_replaced(result: Mapping[str, Any]) -> str:
    """Describe a result that was replaced by playing the match again."""
    seats = [
        f"{seat['place']} {seat['name']} {_format_score(seat['score'])}"
        for seat in result["seats"]
        if seat["place"]
    ]
    return f"replaces {result['outcome']} {result['detail'] or ' · '.join(seats)}"


def _describe_verdict(seat: Mapping[str, Any]) -> Iterator[str]:
    """Yield a seat's verdict, and the lines of its output."""
    from arena.rules import quote_output

    verdict = seat["verdict"]
    yield f"{seat['name']}: {verdict['kind']}: {verdict['detail']}"
    for line in quote_output(verdict["kind"], verdict["line"], seat["stderr"] or ""):
        yield f"  {line}"


def _format_score(score: float | None) -> str:
    return "" if score is None else f"{score:g}"


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
def transcript(tournament: str, key: tuple[int, int]) -> None:
    """Print the transcript of the match KEY of TOURNAMENT, as `arena replay` reads it."""
    with open_store(tournament) as store:
        store.find_match(*key)
        text = store.load_transcript(*key)
    if text is None:
        raise UserError(
            f"match {key[0]}.{key[1]} has no transcript:"
            " the tournament does not keep every transcript"
        )
    sys.stdout.buffer.write(text)


@click.command(
    cls=ExampleCommand,
    short_help="Export a tournament's results.",
    examples=("export hill.toml --format csv > hill.csv",
              "export hill.db --format parquet --out hill.parquet"),
)  # fmt: skip
@tournament_argument
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), default="csv",
              show_default=True, help="Format of the output.")  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write to this file. [default: standard output]"
)
@require_tournament_extra
def export(tournament: str, form: str, out: Path | None) -> None:
    """Write a row for each seat of each match of TOURNAMENT."""
    from arena.tournament.result_file import write_results

    with open_store(tournament) as store:
        write_results(store, form, out)
