"""`arena tournament`: create, run and change tournaments."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.support.commands import (
    ExampleCommand,
    ExampleGroup,
    MatchKeyType,
    find_game,
    json_option,
    require_tournament_extra,
)
from arena.players import SIGNAL_STATUS_BASE
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.tournament import Ending, Monitor, Tournament

FILE_TYPE = click.Path(path_type=Path)
INCOMPLETE_STATUS = 1


@click.group(
    cls=ExampleGroup,
    short_help="Run tournaments: many bots, many matches, a ranking.",
    examples=(
        "tournament new {game} hill.toml",
        "tournament run hill.toml",
        "tournament add hill.toml bots/late",
        "tournament rerun hill.toml 17.0",
        "standings hill.toml",
    ),
)
def tournament() -> None:
    """Run tournaments: many bots, many matches, a ranking with confidence intervals.

    A TOML file defines the game and the entrants; the results are stored in a database next
    to it. An interrupted tournament continues where it stopped when you run it again.
    """


@tournament.command(cls=ExampleCommand, examples=("tournament new {game} hill.toml",))
@click.argument("game")
@click.argument("file", type=FILE_TYPE)
def new(game: str, file: Path) -> None:
    """Create a commented tournament FILE for GAME."""
    from arena.tournament.file import FILE_SUFFIX
    from arena.tournament.file.template import render_template

    if file.suffix != FILE_SUFFIX:
        raise UserError(f"{file}: the name of a tournament's file must end in {FILE_SUFFIX}")
    _create_file(file, render_template(find_game(game), file))
    command = shlex.join(["arena", "tournament", "run", str(file)])
    click.echo(f"Wrote {file}. Edit it, then run: {command}")


def _create_file(file: Path, text: str) -> None:
    """Write a new file; an existing one may be somebody's work, and stays as it is."""
    try:
        with file.open("x", encoding="utf-8") as new_file:
            new_file.write(text)
    except FileExistsError:
        raise UserError(f"{file} already exists, and was not changed") from None
    except OSError as problem:
        raise UserError(f"{file} cannot be written: {problem.strerror}") from None


trust_option = click.option(
    "--trust-everybody",
    is_flag=True,
    help="Run untrusted entrants even if no sandbox works; they may do whatever you may do.",
)


@tournament.command(cls=ExampleCommand, examples=("tournament run hill.toml",))
@click.argument("file", type=FILE_TYPE)
@click.option(
    "--replay-void",
    is_flag=True,
    help="Also play void matches again in which the game or a plugin failed.",
)
@trust_option
@json_option
@require_tournament_extra
def run(file: Path, replay_void: bool, trust_everybody: bool, as_json: bool) -> int:
    """Run the tournament of FILE, or continue it.

    Ctrl-C lets the current matches finish; a second Ctrl-C aborts them. Finished matches are
    never lost, and void ones are played again if the host may have been to blame. With --json
    it prints an object for each match.

    Exit status: 0, or 1 if an entrant was excluded or a match was void, or 2 for usage errors.
    """
    return _play(
        file,
        as_json,
        lambda held, monitor: held.run(
            monitor, trust_everybody=trust_everybody, replay_void=replay_void
        ),
    )


@tournament.command(
    cls=ExampleCommand,
    short_help="Play matches of a tournament again.",
    examples=("tournament rerun hill.toml 17.0 17.1",),
)
@click.argument("file", type=FILE_TYPE)
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", type=MatchKeyType())
@trust_option
@json_option
@require_tournament_extra
def rerun(file: Path, keys: tuple[str, ...], trust_everybody: bool, as_json: bool) -> int:
    """Play the matches KEY of FILE again, and then whatever else is missing, as `run` does.

    Only the new results count; `arena matches` shows the replaced ones beside them. In Swiss and
    elimination only the matches of the last round can be played again, because earlier rounds
    decide the pairings of later ones.
    """
    return _play(
        file,
        as_json,
        lambda held, monitor: held.rerun(*keys, progress=monitor, trust_everybody=trust_everybody),
    )


def _play(file: Path, as_json: bool, play: Callable[[Tournament, Monitor], Ending]) -> int:
    """Play a tournament, show what happens, and return the exit status."""
    from arena.cli.support.tournament_display import open_monitor
    from arena.tournament import Ending, Tournament

    held = Tournament.load(file)
    with open_monitor(held.spec, as_json=as_json) as watching:
        ending = play(held, watching)
    if ending is Ending.INTERRUPTED:
        click.echo(f"arena: stopped; continue with `arena tournament run {file}`", err=True)
        return SIGNAL_STATUS_BASE + 2
    return INCOMPLETE_STATUS if watching.wrong else 0


@tournament.command(
    cls=ExampleCommand,
    short_help="Add bots to a tournament.",
    examples=(
        "tournament add hill.toml bots/late",
        'tournament add hill.toml "late=ruby late.rb"',
    ),
)
@click.argument("file", type=FILE_TYPE)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--keeps", is_flag=True, help="Keep the bot's working folder between matches.")
@click.option(
    "--untrusted", is_flag=True, help="Treat the bot as untrusted: it only runs in a sandbox."
)
@require_tournament_extra
def add(file: Path, bots: tuple[str, ...], keeps: bool, untrusted: bool) -> None:
    """Add BOTs to a tournament; run it again, and they catch up on their matches."""
    for bot in bots:
        entry = _load(file).add(bot, keeps=keeps, untrusted=untrusted)
        click.echo(f"{entry.name} entered, version {entry.version}")


@tournament.command(
    cls=ExampleCommand,
    short_help="Enter a new version of a bot.",
    examples=("tournament replace hill.toml mine", "tournament replace hill.toml mine bots/mine2"),
)
@click.argument("file", type=FILE_TYPE)
@click.argument("name")
@click.argument("bot", required=False)
@require_tournament_extra
def replace(file: Path, name: str, bot: str | None) -> None:
    """Enter a new version of NAME: the same BOT as it is now, or another one.

    The old version keeps its matches.
    """
    old, entry = _load(file).replace(name, bot)
    if old.version == entry.version:
        click.echo(f"{name} takes part again, version {entry.version}")
    else:
        click.echo(f"{name} replaced: version {old.version} by {entry.version}")


@tournament.command(
    cls=ExampleCommand,
    short_help="Withdraw bots from a tournament.",
    examples=("tournament withdraw hill.toml mine",),
)
@click.argument("file", type=FILE_TYPE)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@require_tournament_extra
def withdraw(file: Path, names: tuple[str, ...]) -> None:
    """Withdraw NAMEs from a tournament; their matches stay."""
    for name in names:
        entry = _load(file).withdraw(name)
        click.echo(f"{name} withdrawn, version {entry.version}")


def _load(file: Path) -> Tournament:
    from arena.tournament import Tournament

    return Tournament.load(file)
