"""`arena new-game`, `arena new-bot`, `arena examples`: create folders to begin with."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from arena.cli.support.commands import ExampleCommand, find_game
from arena.scaffold import LANGUAGES

into_option = click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=".",
    metavar="DIR",
    help="Parent of the new folder. [default: the current folder]",
)


@click.command(
    name="new-game",
    cls=ExampleCommand,
    short_help="Create a small game that already works.",
    examples=("new-game pips", "new-game high_card --into games"),
)
@click.argument("name")
@into_option
def write_game(name: str, into: Path) -> None:
    """Create a folder NAME with a small game that works, as a start for your own.

    It is a Python distribution with rules, a text protocol, two bots, tests, a README and what
    GitHub needs to run the tests. NAME consists of lowercase letters, digits and underscores. No
    file is overwritten.
    """
    from arena.scaffold import new_game

    written = new_game(name, into)
    folder = shlex.quote(str(into / name))
    _print_next_steps(
        written,
        f"pip install -e {shlex.quote(f'{into / name}[test]')}",
        f"pytest {folder}",
        f"arena match {name} random thrifty --games 10",
    )


@click.command(
    name="new-bot",
    cls=ExampleCommand,
    short_help="Create a bot that already plays.",
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
    help="Programming language of the bot.",
)
@click.option(
    "--wire",
    "protocol",
    default="json",
    show_default=True,
    help="Protocol of the bot: json, or a text protocol of the game (see `arena games`).",
)
@into_option
def write_bot(game: str, name: str, language: str, protocol: str, into: Path) -> None:
    """Create a folder NAME with a bot for GAME: a program that gives legal answers.

    It speaks JSON lines, or a text protocol of the game. Its README lists the messages, and
    shows how to try the bot. NAME consists of letters, digits and underscores. No file is
    overwritten.
    """
    from arena.scaffold import new_bot, pick_opponents

    rules = find_game(game)
    written = new_bot(rules, name, language, into, protocol)
    folder = shlex.quote(str(into / name))
    _print_next_steps(
        written,
        f"arena check {game} {folder}",
        f"arena match {game} {folder} {pick_opponents(rules, folder)}",
    )


@click.command(
    name="examples",
    cls=ExampleCommand,
    short_help="Copy the examples into a folder.",
    examples=("examples", "examples DIR"),
)
@click.argument("folder", type=click.Path(path_type=Path), default="examples", metavar="[DIR]")
def write_examples(folder: Path) -> None:
    """Copy the examples that the documentation names into DIR, or a folder `examples` here.

    They are bots in six languages, tournaments, a hill and a plugin. No file is overwritten.
    """
    from arena.scaffold import copy_examples

    for path in copy_examples(folder):
        click.echo(path)


def _print_next_steps(written: Iterable[Path], *commands: str) -> None:
    """Print the files that were written, and the next commands to run."""
    for path in written:
        click.echo(path)
    click.echo("\nNext:")
    for command in commands:
        click.echo(f"  {command}")
