"""`arena hill`: what the host of an open hill does with authors and bots."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from arena.cli.common import json_option, with_numbers, worded
from arena.cli.lazy import Examples, Group
from arena.rules import UserError
from arena_web.hill.holding import a_file, backup, part, run

if TYPE_CHECKING:
    from arena_web.hill.register import Register

HEADINGS = ("author", "bot", "version", "state", "MB", "why")
MB = 1 << 20


@click.group(
    cls=Group,
    short_help="Run an open hill, to which authors submit bots.",
    examples=(
        "hill run hill.toml",
        "hill invite hill.toml ada",
        "hill list hill.toml",
        'hill withdraw hill.toml mine "it fills the disk"',
    ),
)
def hill() -> None:
    """Run an open hill: a tournament that never ends, to which authors submit bots.

    A hill is a tournament's file with a table [hill]. What you do to authors and bots is recorded
    with your reason (WHY).
    """


for command in (backup, part, run):
    hill.add_command(command)


@hill.command(cls=Examples, examples=("hill invite hill.toml ada --at https://HOST",))
@a_file
@click.argument("name")
@click.option("--at", "url", metavar="URL",
              help="Address of the site; by default the one on this machine.")  # fmt: skip
@with_numbers
def invite(file: Path, name: str, url: str | None) -> None:
    """Print a link with which an author called NAME joins; it works once, for two weeks."""
    from arena.tournament import Tournament
    from arena_web.hill.places import find_site

    site = url or find_site(Tournament.load(file).spec)
    parts = urlsplit(site)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(f"--at: {site!r} is not the address of a site, such as https://HOST")
    click.echo(f"{site.rstrip('/')}/hill/{file.stem}/join/{_register(file).invite(name)}")


@hill.command(cls=Examples, examples=('hill hide hill.toml rude "its name"',))
@a_file
@click.argument("bot")
@click.argument("why")
@with_numbers
def hide(file: Path, bot: str, why: str) -> None:
    """Show a number instead of BOT's name on all pages."""
    click.echo(f"{bot} is shown as {_register(file).hide(bot, why)} from now on")


@hill.command(cls=Examples, examples=('hill withdraw hill.toml mine "it fills the disk"',))
@a_file
@click.argument("bot")
@click.argument("why")
@with_numbers
def withdraw(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT from the hill; its author may submit another version."""
    _register(file).withdraw(bot, why, by_host=True)
    click.echo(f"{bot} is withdrawn")


@hill.command(cls=Examples, examples=('hill ban hill.toml ada "attacks the host"',))
@a_file
@click.argument("author")
@click.argument("why")
@with_numbers
def ban(file: Path, author: str, why: str) -> None:
    """Revoke AUTHOR's tokens and sessions, and withdraw all of AUTHOR's bots."""
    bots = _register(file).ban(author, why)
    click.echo(f"{author} is banned; withdrawn: {', '.join(bots) or 'nothing'}")


@hill.command(cls=Examples, examples=('hill unban hill.toml ada "has apologized"',))
@a_file
@click.argument("author")
@click.argument("why")
@with_numbers
def unban(file: Path, author: str, why: str) -> None:
    """Let AUTHOR join again: with a new invitation, or with the same account."""
    name = _register(file).unban(author, why)
    click.echo(f"{name} may join again; its tokens and bots do not come back by themselves")


@hill.command(cls=Examples, examples=('hill forget hill.toml mine "its author asks for it"',))
@a_file
@click.argument("bot")
@click.argument("why")
@with_numbers
def forget(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT, hide its name, and delete its uploads and copies; keep its results."""
    from arena_web.hill.hosting import forgotten

    uploads, copies = forgotten(file, bot, why)
    click.echo(f"{bot} is forgotten; deleted: uploads {uploads}, copies {copies}")


@hill.command(name="list", cls=Examples, examples=("hill list hill.toml --json",))
@a_file
@json_option
@with_numbers
def list_bots(file: Path, as_json: bool) -> None:
    """List the authors, their bots, and the state of each bot's newest submission.

    MB is what is kept of a bot: its uploads, and the folders from which its versions play. The last
    line says what takes up disk space.
    """
    from rich.console import Console

    from arena.tournament import Tournament
    from arena_web.hill.disk_usage import describe_usage
    from arena_web.hill.hosting import listed

    rows = listed(file)
    for row in rows if as_json else ():
        click.echo(json.dumps(row))
    if not as_json:
        table = worded(HEADINGS, map(_cells, rows))
        Console(highlight=False).print(table if rows else "nobody has joined yet")
        click.echo(describe_usage(Tournament.load(file).spec))


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    from arena.wires import printable

    author = row["author"] + " (banned)" * row["banned"]
    bot = row["bot"] + " (name hidden)" * row.get("hidden", False)
    size = f"{(row['upload_bytes'] + row['copy_bytes']) / MB:,.1f}" if row["bot"] else ""
    return author, bot, row["version"], row["state"], size, printable(row["why"])


def _register(file: Path) -> Register:
    """Open the register of a hill's file; raise UserError where it is none."""
    from arena.tournament import Tournament
    from arena_web.hill.places import register_of

    return register_of(Tournament.load(file).spec)
