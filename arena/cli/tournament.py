"""`arena tournament`: tournaments with many bots and many matches, which nobody has to watch."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import json_option, the_game, with_numbers
from arena.cli.lazy import Examples, Group
from arena.players import SIGNALLED
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.tournament.file import TournamentSpec

a_file = click.Path(path_type=Path)
WRONG = 1


@click.group(
    cls=Group,
    short_help="Hold a tournament: many bots, many matches, a ranking.",
    examples=(
        "tournament new {game} hill.toml",
        "tournament run hill.toml",
        "tournament add hill.toml bots/late",
        "standings hill.toml",
    ),
)
def tournament() -> None:
    """Hold a tournament: many bots, many matches, an honest ranking.

    A TOML file says what is played and who takes part; everything that happens is kept in a
    database beside it. A tournament that was cut goes on where it stopped when it is run again.
    """


@tournament.command(cls=Examples, examples=("tournament new {game} hill.toml",))
@click.argument("game")
@click.argument("file", type=a_file)
def new(game: str, file: Path) -> None:
    """Write a FILE with comments for a tournament of GAME."""
    from arena.tournament.file import SUFFIX
    from arena.tournament.template import template

    if file.suffix != SUFFIX:
        raise UserError(f"{file}: the name of a tournament's file ends with {SUFFIX}")
    text = template(the_game(game), file.stem)
    try:
        with file.open("x", encoding="utf-8") as new_file:
            new_file.write(text)
    except FileExistsError:
        raise UserError(f"{file} is there already, and is left as it is") from None
    except OSError as problem:
        raise UserError(f"{file} cannot be written: {problem.strerror}") from None
    command = shlex.join(["arena", "tournament", "run", str(file)])
    click.echo(f"{file} is written; look at it, then: {command}")


@tournament.command(cls=Examples, examples=("tournament run hill.toml",))
@click.argument("file", type=a_file)
@click.option(
    "--trust-everybody",
    is_flag=True,
    help="Play untrusted entrants where no sandbox holds; they may do whatever you may do.",
)
@json_option
@with_numbers
def run(file: Path, trust_everybody: bool, as_json: bool) -> int:
    """Run the tournament of FILE, or go on with it.

    Ctrl-C finishes the matches under way; a second one abandons them. Nothing that is over
    is lost either way. With --json it prints an object for each match.
    Exit status: 0 all is well, 1 somebody was left out or a match void, 2 usage.
    """
    from arena.cli.live import monitor
    from arena.tournament.file import load
    from arena.tournament.opening import run as run_tournament
    from arena.tournament.runner import Ending

    held = load(file)
    with monitor(held, as_json=as_json) as watching:
        ending = run_tournament(held, watching, trust_everybody=trust_everybody)
    if ending is Ending.INTERRUPTED:
        click.echo(f"arena: stopped; `arena tournament run {file}` goes on", err=True)
        return SIGNALLED + 2
    return WRONG if watching.wrong else 0


@tournament.command(
    cls=Examples,
    short_help="Enter bots late.",
    examples=(
        "tournament add hill.toml bots/late",
        'tournament add hill.toml "late=ruby late.rb"',
    ),
)
@click.argument("file", type=a_file)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--keeps", is_flag=True, help="Its folder stays between its matches.")
@click.option("--untrusted", is_flag=True, help="You do not know who has written it.")
@with_numbers
def add(file: Path, bots: tuple[str, ...], keeps: bool, untrusted: bool) -> None:
    """Enter BOTs late; run the tournament again, and they play what they lack."""
    from arena.tournament.changes import enter
    from arena.tournament.records import Containment

    for text in bots:
        entry = enter(_loaded(file), text, keeps=keeps, containment=Containment(untrusted))
        click.echo(f"{entry.name} has entered, version {entry.version}")


@tournament.command(
    cls=Examples,
    short_help="Enter a new version of a bot.",
    examples=("tournament replace hill.toml mine", "tournament replace hill.toml mine bots/mine2"),
)
@click.argument("file", type=a_file)
@click.argument("name")
@click.argument("bot", required=False)
@with_numbers
def replace(file: Path, name: str, bot: str | None) -> None:
    """Enter a new version of NAME: the same BOT as it is now, or another.

    What the old version has played stays with it.
    """
    from arena.tournament.changes import replace as enter_anew

    old, entry = enter_anew(_loaded(file), name, bot)
    if old.version == entry.version:
        click.echo(f"{name} takes part again, version {entry.version}")
    else:
        click.echo(f"{name} is replaced: version {old.version} by {entry.version}")


@tournament.command(
    cls=Examples,
    short_help="Have bots take part no more.",
    examples=("tournament withdraw hill.toml mine",),
)
@click.argument("file", type=a_file)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@with_numbers
def withdraw(file: Path, names: tuple[str, ...]) -> None:
    """Have NAMEs take part no more; what they have played stays."""
    from arena.tournament.changes import withdraw as let_go

    for name in names:
        entry = let_go(_loaded(file), name)
        click.echo(f"{name} is withdrawn, version {entry.version}")


def _loaded(file: Path) -> TournamentSpec:
    from arena.tournament.file import load

    return load(file)
