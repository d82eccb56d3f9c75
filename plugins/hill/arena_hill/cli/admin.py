"""`arena hill`: the host's commands for authors and bots of an open hill."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from arena import UserError
from arena.extend import (
    ExampleCommand,
    ExampleGroup,
    build_text_table,
    json_option,
    require_tournament_extra,
)
from arena_hill.cli.run import backup, file_argument, run, run_process

if TYPE_CHECKING:
    from arena_hill.db.hill_database import HillDatabase

HEADINGS = ("author", "bot", "version", "state", "MB", "why")
MB = 1 << 20


@click.group(
    cls=ExampleGroup,
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
    with your reason (WHY). A bot whose name is hidden (BOT) can be named as the pages show it, too.
    """


for command in (backup, run_process, run):
    hill.add_command(command)


@hill.command(cls=ExampleCommand, examples=("hill invite hill.toml ada --at https://HOST",))
@file_argument
@click.argument("name")
@click.option("--at", "url", metavar="URL",
              help="Address of the site; by default the one on this machine.")  # fmt: skip
@require_tournament_extra
def invite(file: Path, name: str, url: str | None) -> None:
    """Print a link with which an author called NAME joins; it works once, for two weeks."""
    from arena.tournament import Tournament
    from arena_hill.hill_paths import find_site

    site = url or find_site(Tournament.load(file).spec)
    parts = urlsplit(site)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(f"--at: {site!r} is not the address of a site, such as https://HOST")
    click.echo(f"{site.rstrip('/')}/hill/{file.stem}/join/{_open_database(file).invite(name)}")


@hill.command(cls=ExampleCommand, examples=('hill hide hill.toml rude "its name"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def hide(file: Path, bot: str, why: str) -> None:
    """Show a number instead of BOT's name on all pages."""
    click.echo(f"{bot} is shown as {_open_database(file).hide(bot, why)} from now on")


@hill.command(cls=ExampleCommand, examples=('hill withdraw hill.toml mine "it fills the disk"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def withdraw(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT from the hill; its author may submit another version."""
    _open_database(file).withdraw(bot, why)
    click.echo(f"{bot} is withdrawn")


@hill.command(cls=ExampleCommand, examples=('hill ban hill.toml ada "attacks the host"',))
@file_argument
@click.argument("author")
@click.argument("why")
@require_tournament_extra
def ban(file: Path, author: str, why: str) -> None:
    """Revoke AUTHOR's tokens and sessions, and withdraw all of AUTHOR's bots."""
    bots = _open_database(file).ban(author, why)
    click.echo(f"{author} is banned; withdrawn: {', '.join(bots) or 'nothing'}")


@hill.command(cls=ExampleCommand, examples=('hill unban hill.toml ada "has apologized"',))
@file_argument
@click.argument("author")
@click.argument("why")
@require_tournament_extra
def unban(file: Path, author: str, why: str) -> None:
    """Let AUTHOR join again: with a new invitation, or with the same account."""
    name = _open_database(file).unban(author, why)
    click.echo(f"{name} may join again; tokens are not restored, and bots must be submitted again")


@hill.command(cls=ExampleCommand, examples=('hill forget hill.toml mine "its author asks for it"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def forget(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT, hide its name, and delete its uploads and copies; keep its results."""
    from arena_hill.cli.bots import forget_bot

    uploads, copies = forget_bot(file, bot, why)
    click.echo(f"{bot} is forgotten (uploads deleted: {uploads}, copies deleted: {copies})")


@hill.command(name="list", cls=ExampleCommand, examples=("hill list hill.toml --json",))
@file_argument
@json_option
@require_tournament_extra
def list_bots(file: Path, as_json: bool) -> None:
    """List the authors, their bots, and the state of each bot's newest submission.

    MB is the disk space of a bot: its uploads, and the folders from which its versions play. The
    last line shows the disk usage of the hill.
    """
    from rich.console import Console

    from arena.tournament import Tournament
    from arena_hill.cli.bots import list_bot_rows
    from arena_hill.disk_usage import describe_usage

    rows = list_bot_rows(file)
    for row in rows if as_json else ():
        click.echo(json.dumps(row))
    if not as_json:
        table = build_text_table(HEADINGS, map(_format_cells, rows))
        Console(highlight=False).print(table if rows else "no authors have joined yet")
        click.echo(describe_usage(Tournament.load(file).spec))


def _format_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    from arena.extend import to_printable

    author = row["author"] + " (banned)" * row["banned"]
    bot = row["bot"] + (f" (shown as {row['alias']})" if row.get("alias") else "")
    size = f"{(row['upload_bytes'] + row['copy_bytes']) / MB:,.1f}" if row["bot"] else ""
    return author, bot, row["version"], row["state"], size, to_printable(row["why"])


def _open_database(file: Path) -> HillDatabase:
    """Open the database of a hill; raise UserError if the file is not a hill's."""
    from arena.tournament import Tournament
    from arena_hill.db.hill_database import open_database

    return open_database(Tournament.load(file).spec)
