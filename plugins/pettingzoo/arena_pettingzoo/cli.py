"""`arena learn`: a bot learns a game by playing it, and is written into a folder."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from arena.cli.support.commands import (
    ExampleCommand,
    build_text_table,
    find_game,
    json_option,
    option_option,
    parse_variant,
    require_tournament_extra,
)
from arena.cli.support.time_options import POSITIVE_SECONDS
from arena.players import SIGNAL_STATUS_BASE

if TYPE_CHECKING:
    from arena_pettingzoo.learner import Learned
    from arena_pettingzoo.measurement import MeasuredShare

DEFAULT_SECONDS = 60.0
PROGRESS_SECONDS = 10.0  # between two lines


@click.command(
    cls=ExampleCommand,
    short_help="Learn a game by self-play, and write a bot that plays it.",
    examples=(
        "learn kuhn --out learned",
        "learn gops -o cards=5 --seconds 3600 --out learned",
        "learn coup --table 3 --matches 20000 --seed 1 --out learned",
    ),
)
@click.argument("game")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Write the bot into a new folder.",
)
@click.option(
    "--seconds",
    type=POSITIVE_SECONDS,
    help=f"How long to learn. [default: {DEFAULT_SECONDS:g}, or as long as --matches take]",
)
@click.option("--matches", type=click.IntRange(1), help="How many matches to learn from.")
@click.option("--table", type=click.IntRange(1), help="Seats of a match. [default: the fewest]")
@option_option
@click.option(
    "--seed",
    metavar="TEXT",
    help="Seed of all chance; the same seed and --matches give the same bot. [default: random]",
)
@json_option
@require_tournament_extra
def learn(  # noqa: PLR0917  # by click, by their names
    game: str,
    out: Path,
    seconds: float | None,
    matches: int | None,
    table: int | None,
    options: tuple[str, ...],
    seed: str | None,
    as_json: bool,
) -> int:
    """Learn GAME by playing it, and write a bot that anybody can seat.

    A small network plays itself and the game's quick bots, many matches at once, on one core. Then
    the bot of the folder plays each bundled bot, at most a minute or so each, in deals that it did
    not learn from. The table has the share of its opponents that it finished ahead of, with 95 %
    intervals by deal.

    An interrupt ends the learning, and writes what was learned so far. With --json it prints one
    object at the end.
    """
    from arena.plugins import parse_pairs
    from arena_pettingzoo.bot_folder import check_new_folder, write_bot_folder
    from arena_pettingzoo.learner import learn_game
    from arena_pettingzoo.measurement import measure_bot

    parse_variant(find_game(game), options)
    check_new_folder(out)
    begun = monotonic()
    learned = learn_game(
        game,
        options=parse_pairs(options),
        table=table,
        matches=matches,
        seconds=DEFAULT_SECONDS if seconds is None and matches is None else seconds,
        seed=seed,
        progress=PeriodicPrinter(begun).show,
    )
    write_bot_folder(learned, out)
    click.echo(f"{_describe(learned, begun)}; wrote {out}", err=True)
    if learned.interrupted:
        click.echo("arena: stopped; the bot was written, and not measured", err=True)
        return SIGNAL_STATUS_BASE + 2
    shares = [*measure_bot(learned, out)]
    if as_json:
        click.echo(json.dumps(pack(learned, out, shares)))
    else:
        _print_shares(learned, shares)
    return 0


class PeriodicPrinter:
    """Prints to standard error at intervals how far learning is."""

    def __init__(self, begun: float) -> None:
        self._begun = begun
        self._next = begun + PROGRESS_SECONDS

    def show(self, learned: Learned) -> None:
        """Print a line if it is time."""
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_SECONDS
            click.echo(_describe(learned, self._begun), err=True)


def _describe(learned: Learned, begun: float) -> str:
    """Say how much was learned, and what it is good for by now."""
    seconds = f"{monotonic() - begun:,.0f} s: {learned.matches:,} matches"
    if learned.share is None:
        return seconds
    return f"{seconds}, {learned.share:.2f} against the bots that it learns with"


def pack(learned: Learned, folder: Path, shares: list[MeasuredShare]) -> dict[str, object]:
    """Return all that is known of a learned bot, as JSON."""
    against = [each.pack() for each in shares]
    return {**learned.describe(), "folder": str(folder), "against": against}


def _print_shares(learned: Learned, shares: list[MeasuredShare]) -> None:
    from rich.console import Console

    rows = [
        (each.opponent, str(each.share), str(each.deals), "yes" if each.met else "no")
        for each in shares
    ]
    table = build_text_table(("opponent", "share", "deals", "met in learning"), rows)
    Console(highlight=False).print(table)
    click.echo(
        f"Share of the opponents that the bot finished ahead of, with 95 % intervals. The same"
        f" bot again: --seed {learned.seed} --matches {learned.matches}"
    )
