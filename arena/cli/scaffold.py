"""`arena new-game`, `arena new-bot`: folders to begin with, which work as they are."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from arena.cli.common import the_game
from arena.cli.lazy import Examples
from arena.scaffold import LANGUAGES

into_option = click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=".",
    metavar="DIR",
    help="Where the new folder comes; here, unless told otherwise.",
)


@click.command(
    name="new-game",
    cls=Examples,
    short_help="Write a small game that works, to begin with.",
    examples=("new-game pips", "new-game high_card --into games"),
)
@click.argument("name")
@into_option
def write_game(name: str, into: Path) -> None:
    """Write a folder NAME with a small game that works, to be turned into yours.

    It is a Python distribution with rules, a text protocol, two bots, tests and a README.
    NAME is of small letters, digits and underscores. Nothing is overwritten.
    """
    from arena.scaffold import new_game

    written = new_game(name, into)
    folder = shlex.quote(str(into / name))
    _tell(
        written,
        f"pip install -e {shlex.quote(f'{into / name}[test]')}",
        f"pytest {folder}",
        f"arena match {name} random thrifty --games 10",
    )


@click.command(
    name="new-bot",
    cls=Examples,
    short_help="Write a bot that already plays, to begin with.",
    examples=(
        "new-bot {game} mine --lang python",
        "new-bot {game} mine --wire text --lang c --into bots",
    ),
)
@click.argument("game")
@click.argument("name")
@click.option(
    "--lang",
    "language",
    type=click.Choice([*LANGUAGES]),
    default="python",
    show_default=True,
    help="What it is written in.",
)
@click.option(
    "--wire",
    "protocol",
    default="json",
    show_default=True,
    help="What it speaks: json, or a text protocol of the game (see `arena games`).",
)
@into_option
def write_bot(game: str, name: str, language: str, protocol: str, into: Path) -> None:
    """Write a folder NAME with a bot for GAME: a program that gives a legal answer.

    It speaks JSON lines, or the game's own lines. Its README lists what comes, and says how
    to try it. NAME is of letters, digits and underscores. Nothing is overwritten.
    """
    from arena.scaffold import new_bot, opponent

    rules = the_game(game)
    written = new_bot(rules, name, language, into, protocol)
    folder = shlex.quote(str(into / name))
    _tell(
        written,
        f"arena check {game} {folder}",
        f"arena match {game} {folder} {opponent(rules, folder)}",
    )


def _tell(written: Iterable[Path], *commands: str) -> None:
    """Say what has been written, and what comes next."""
    for path in written:
        click.echo(path)
    click.echo("\nNext:")
    for command in commands:
        click.echo(f"  {command}")
