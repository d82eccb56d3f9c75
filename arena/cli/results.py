"""`arena matches`, `arena transcript`, `arena export`: what a tournament has kept."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import json_option, with_numbers, worded
from arena.cli.lazy import Examples
from arena.cli.stored import the_store, the_tournament
from arena.rules import End, Fault, UserError
from arena.wires import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEADINGS = ("match", "seats: place name score", "verdicts", "outcome")
SHOWN = 50  # matches, where nothing else is said
MANY = 10**15
KINDS = [str(one) for one in Fault]
ENDS = [str(one) for one in End]
KEY = r"[0-9]{1,15}(\.[0-9]{0,15})?"


class Key(click.ParamType[tuple[int, int]]):
    """A match's key: the number of its deal, a full stop, its turn."""

    name = "key"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read it, or refuse."""
        deal, _, rotation = str(value).partition(".")
        if not re.fullmatch(KEY, str(value)):
            self.fail(f"{value!r} is no key of a match, such as 17.0", param, ctx)
        return int(deal), int(rotation or 0)


@click.command(
    cls=Examples,
    short_help="List matches of a tournament.",
    examples=("matches hill.toml --bot mine --verdict timeout", "matches hill.db --limit 5 --json"),
)
@the_tournament
@click.option("--bot", metavar="NAME", help="In which this entrant sat (NAME@VERSION for one).")
@click.option("--verdict", type=click.Choice(KINDS), help="With such a verdict.")
@click.option("--outcome", type=click.Choice(ENDS), help="That ended so.")
@click.option("--stage", metavar="WORDS", help="Of this stage, such as final.")
@click.option("--limit", type=click.IntRange(0, MANY), default=SHOWN, show_default=True,
              help="At most so many, the newest first.")  # fmt: skip
@json_option
@with_numbers
def matches(tournament: str, bot: str | None, verdict: str | None, outcome: str | None,
            stage: str | None, limit: int, as_json: bool) -> None:  # fmt: skip
    """List matches of TOURNAMENT, the newest first.

    TOURNAMENT is the tournament's file, or its database. A verdict is looked for against the
    bot, if one is named, else against anybody.
    """
    from arena.tournament.store import Filter

    which = Filter(bot, verdict, outcome, stage, limit, newest=True)
    with the_store(tournament) as store:
        found = store.matches(which)
        if as_json:
            for match in found:
                click.echo(json.dumps(match))
            return
        from rich.console import Console

        Console(highlight=False).print(worded(HEADINGS, map(_cells, found)))


def _cells(match: Mapping[str, Any]) -> tuple[str, ...]:
    seats = [
        f"{seat['place'] or '-'} {seat['name']} {_score(seat['score'])}" for seat in match["seats"]
    ]
    verdicts = [
        printable(line) for seat in match["seats"] if seat["verdict"] for line in _verdict(seat)
    ]
    how = f"{match['outcome']} {printable(match['detail'])}"
    return match["match"], " · ".join(seats), "\n".join(verdicts), how.strip()


def _verdict(seat: Mapping[str, Any]) -> Iterator[str]:
    """Say what is held against a seat, and what it said."""
    from arena.rules import heard

    verdict = seat["verdict"]
    yield f"{seat['name']}: {verdict['kind']}: {verdict['detail']}"
    for line in heard(verdict["kind"], verdict["line"], seat["stderr"] or ""):
        yield f"  {line}"


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:g}"


@click.command(
    cls=Examples,
    short_help="Give a match's transcript.",
    examples=(
        "transcript hill.toml 17.0 > match.jsonl",
        "transcript hill.toml 17.0 | arena replay - --as 1",
    ),
)
@the_tournament
@click.argument("key", type=Key())
@with_numbers
def transcript(tournament: str, key: tuple[int, int]) -> None:
    """Print the transcript of the match KEY of TOURNAMENT; `arena replay` shows it."""
    with the_store(tournament) as store:
        store.match(*key)
        text = store.transcript(*key)
    if text is None:
        raise UserError(
            f"match {key[0]}.{key[1]} has no transcript: the tournament does not keep all"
        )
    sys.stdout.buffer.write(text)


@click.command(
    cls=Examples,
    short_help="Write a tournament's results for other programs.",
    examples=("export hill.toml --format csv > hill.csv",
              "export hill.db --format parquet --out hill.parquet"),
)  # fmt: skip
@the_tournament
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), default="csv",
              show_default=True, help="How it is written.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="Where, if not standard output.")
@with_numbers
def export(tournament: str, form: str, out: Path | None) -> None:
    """Write a row for each seat of each match of TOURNAMENT."""
    from arena.tournament.export import write

    with the_store(tournament) as store:
        write(store, form, out)
