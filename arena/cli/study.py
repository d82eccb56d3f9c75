"""`arena study`: what self-play says of a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import (
    ExampleCommand,
    find_game,
    json_option,
    option_option,
    parse_variant,
    require_tournament_extra,
    seed_option,
)
from arena.cli.support.workers_option import workers_option
from arena.players import SIGNAL_STATUS_BASE
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.study import Study


@click.command(
    cls=ExampleCommand,
    short_help="Study a game by self-play: skill, luck, seats, length.",
    examples=(
        "study {game}",
        "study {game} -o {option} --matches 100 --workers 2",
        "study {game} random {bot} {other} --format html > study.html",
        "study {game} --without ANSWER",
        "study {game} --vary NAME=VALUE,VALUE",
    ),
)
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT BOT...]")
@option_option
@click.option(
    "--vary",
    metavar="NAME=VALUE,VALUE...",
    help="Study the game with each of these values of an option, side by side.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="ANSWER",
    help="Measure what it costs the best bot never to give such an answer. Repeatable.",
)
@click.option("--table", type=click.IntRange(1), help="Seats of a match. [default: the fewest]")
@click.option(
    "--matches",
    type=click.IntRange(1),
    help="Matches of each series. [default: by the length of a match; fewer with searching bots]",
)
@click.option(
    "--playouts",
    type=click.IntRange(1),
    default=24,
    show_default=True,
    help="Playouts of each answer of `search`.",
)
@workers_option()
@click.option(
    "--format",
    "form",
    type=click.Choice(("table", "markdown", "html")),
    default="table",
    show_default=True,
    help="Format of the output; html is a page with charts.",
)
@seed_option
@json_option
@require_tournament_extra
def study(game: str, bots: tuple[str, ...], options: tuple[str, ...], vary: str | None,
          without: tuple[str, ...], table: int | None, matches: int | None, playouts: int,
          workers: int | None, form: str, seed: str | None, as_json: bool) -> int:  # fmt: skip
    """Study GAME by self-play of its bots: seats, length, choices, leads, skill, what is hidden.

    The BOTs are named from the weakest to the strongest. Without them `random`, a middle one and
    the best of the game's own bots play, by their measured strengths; where it has none, `search`
    with few playouts and with more. Each figure is one of these bots, with a 95 % interval by deal.

    An ANSWER is what an answer, its class or one of its cards is called; * stands for any letters,
    and QUESTION:ANSWER names the class of the question, too. With --json it prints an object for
    each figure. Exit status: 0, or 1 if a match was void.
    """
    import os

    from arena.plugins import parse_pairs
    from arena.study import study_game

    if as_json and form != "table":
        raise click.UsageError("--json and --format cannot be combined")
    parse_variant(find_game(game), options)
    with show_series_progress() as progress:
        found = study_game(
            game,
            bots,
            options=parse_pairs(options),
            vary=_parse_varied(vary),
            without=without,
            table=table,
            matches=matches,
            playouts=playouts,
            seed=seed,
            workers=workers or len(os.sched_getaffinity(0)),
            progress=progress,
        )
    if as_json:
        for figure in found.figures:
            click.echo(json.dumps(figure.pack()))
    else:
        _print_study(found, form)
    if found.interrupted:
        click.echo("arena: stopped; the figures above are complete", err=True)
        return SIGNAL_STATUS_BASE + 2
    return 1 if found.void else 0


def _parse_varied(text: str | None) -> dict[str, list[Any]]:
    """Return the varied option with its values, or nothing."""
    from arena.plugins import parse_pairs

    if text is None:
        return {}
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise UserError(f"--vary {text}: write NAME=VALUE,VALUE...")
    return {name: [parse_pairs([f"{name}={value}"])[name] for value in values.split(",")]}


def _print_study(found: Study, form: str) -> None:
    if form != "table":
        click.echo(found.to_markdown() if form == "markdown" else found.to_html(), nl=False)
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(found.to_table())
    for note in found.notes:
        console.print(note, markup=False)


@contextmanager
def show_series_progress() -> Iterator[Callable[[str, int, int], object] | None]:
    """Show a bar for the series in progress, if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def show(series: str, over: int, matches: int) -> None:
            bar.update(task, description=series, completed=over, total=matches)

        yield show
