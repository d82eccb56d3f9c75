"""`arena hill`: the host's commands that run a hill, and those for its authors and bots."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from arena import UserError
from arena.cli.support.commands import (
    ExampleCommand,
    ExampleGroup,
    build_text_table,
    json_option,
    require_tournament_extra,
)
from arena.wires import to_printable
from arena_hill.site_settings import SiteSettings, site_options
from arena_web.cli import PORT

if TYPE_CHECKING:
    from arena_hill.db.store import HillStore

file_argument = click.argument("file", type=click.Path(path_type=Path))
trust_option = click.option("--trust-everybody", is_flag=True,
                            help="Run untrusted programs without a sandbox.")  # fmt: skip

share_option = click.option("--share-user", is_flag=True,
                            help="Run untrusted programs as your own user.")  # fmt: skip

yes_option = click.option("--yes", is_flag=True,
                          help="Do not ask before settings cost bots their places.")  # fmt: skip


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


@hill.command(
    cls=ExampleCommand,
    short_help="Run a hill: play, check submissions, show the standings.",
    examples=(
        "hill run hill.toml",
        "hill run hill.toml --host-name hill.example --proxy 127.0.0.1",
    ),
)
@file_argument
@site_options
@trust_option
@share_option
@yes_option
@require_tournament_extra
def run(file: Path, site: SiteSettings, trust_everybody: bool, share_user: bool, yes: bool) -> int:
    """Run the hill of FILE, a tournament's file with a table [hill], until you press Ctrl-C.

    The hill plays, checks what authors submit, and shows all of it at a port of this machine. Put a
    proxy in front of it so that others can see it. The first Ctrl-C finishes the matches that are
    being played, a second one abandons them.

    If settings have changed so that bots would lose their places, or sources become public, it asks
    first; without a terminal it does not start, unless with --yes. Exit status: 0 after a signal, 2
    if the hill cannot start, or if a database was replaced while it ran.
    """
    from arena_hill.db.store import HillStore
    from arena_hill.disk import identify_files
    from arena_hill.hill import Hill
    from arena_hill.start_conditions import check_host, hold_hill, prepare_tournament
    from arena_hill.supervisor import HillSupervisor
    from arena_hill.web.oauth import OAuthLogin
    from arena_web.server import open_listener

    hill = Hill.load(file)
    oauth = hill.config.oauth
    check_host(hill, trust_everybody=trust_everybody, share_user=share_user)
    trust = ("--trust-everybody",) * trust_everybody
    begin = ("hill", "process")
    parts = {
        "coordinator": (*begin, "coordinator", str(file), *trust),
        "judge": (*begin, "judge", str(file), *trust),
        "web": (*begin, "web", str(file), *site.to_words()),
    }
    with hold_hill(hill):  # what its processes would refuse is refused before they start
        open_listener(site.port).close()
        if oauth:
            OAuthLogin.of(hill.spec.home, oauth)
        if (losses := prepare_tournament(hill, HillStore.of(hill))) and not yes:
            _confirm(file, losses)
        files = identify_files(hill)
        return HillSupervisor.of(hill, parts, files).run()


def _confirm(file: Path, losses: Sequence[str]) -> None:
    """Ask whether the hill is to start all the same; raise UserError if not."""
    warning = f"{file}: {'; '.join(losses)}"
    if not sys.stdin.isatty():
        raise UserError(f"{warning}. If you want that, run it once with --yes")
    if not click.confirm(f"{warning}. Start the hill?", err=True):
        raise UserError("the hill was not started; nothing has changed")


@hill.group(hidden=True)
def process() -> None:
    """Run one of a hill's processes until its standard input is closed."""


@process.command()
@file_argument
@trust_option
def coordinator(file: Path, trust_everybody: bool) -> None:
    """Play the tournament."""
    from arena_hill.processes import run_coordinator

    run_coordinator(file, trust_everybody=trust_everybody)


@process.command()
@file_argument
@trust_option
def judge(file: Path, trust_everybody: bool) -> None:
    """Judge what authors submit."""
    from arena_hill.processes import run_judge

    run_judge(file, trust_everybody=trust_everybody)


@process.command()
@file_argument
@site_options
def web(file: Path, site: SiteSettings) -> None:
    """Serve the pages and the API."""
    from arena_hill.processes import run_web

    run_web(file, site)


@hill.command(cls=ExampleCommand, examples=("hill invite hill.toml ada --at https://HOST",))
@file_argument
@click.argument("name")
@click.option("--at", "url", metavar="URL",
              help="Address of the site; by default the one on this machine.")  # fmt: skip
@require_tournament_extra
def invite(file: Path, name: str, url: str | None) -> None:
    """Print a link with which an author called NAME joins; it works once, for two weeks."""
    from arena_hill.hill import Hill

    site = url or Hill.load(file).read_site() or f"http://localhost:{PORT}"
    if not _is_site(site):
        raise UserError(f"--at: {site!r} is not the address of a site, such as https://HOST")
    click.echo(
        f"{site.rstrip('/')}/hill/{file.stem}/join/{_open_store(file).accounts.invite(name)}"
    )


@hill.command(name="list", cls=ExampleCommand, examples=("hill list hill.toml --json",))
@file_argument
@json_option
@require_tournament_extra
def list_authors_and_bots(file: Path, as_json: bool) -> None:
    """List the authors, their bots, and the state of each bot's newest submission.

    MB is the disk space of a bot: its uploads, and the folders from which its versions play. Below
    the table are the reasons for the states, a line each, and the disk usage of the hill.
    """
    from rich.console import Console

    from arena_hill.cli.bot_list import HEADINGS, list_bots
    from arena_hill.disk_usage import describe_usage
    from arena_hill.hill_access import HillAccess

    access = HillAccess.open(file)
    bots = [*list_bots(access)]
    if as_json:
        for bot in bots:
            click.echo(json.dumps(bot.pack()))
        return
    table = build_text_table(HEADINGS, [bot.format_cells() for bot in bots])
    Console(highlight=False).print(table if bots else "no authors have joined yet")
    for bot in bots:
        if bot.why:
            click.echo(f"{bot.name} ({bot.state}): {to_printable(bot.why)}")
    click.echo(describe_usage(access.hill))


@hill.command(cls=ExampleCommand, examples=('hill hide hill.toml rude "its name"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def hide(file: Path, bot: str, why: str) -> None:
    """Show a number instead of BOT's name on all pages."""
    click.echo(f"{bot} is shown as {_open_store(file).host_actions.hide(bot, why)} from now on")


@hill.command(cls=ExampleCommand, examples=('hill withdraw hill.toml mine "it fills the disk"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def withdraw(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT from the hill; its author may submit another version."""
    _open_store(file).host_actions.withdraw(bot, why)
    click.echo(f"{bot} is withdrawn")


@hill.command(cls=ExampleCommand, examples=('hill ban hill.toml ada "attacks the host"',))
@file_argument
@click.argument("author")
@click.argument("why")
@require_tournament_extra
def ban(file: Path, author: str, why: str) -> None:
    """Revoke AUTHOR's tokens and sessions, and withdraw all of AUTHOR's bots."""
    bots = _open_store(file).host_actions.ban(author, why)
    click.echo(f"{author} is banned; withdrawn: {', '.join(bots) or 'nothing'}")


@hill.command(cls=ExampleCommand, examples=('hill unban hill.toml ada "has apologized"',))
@file_argument
@click.argument("author")
@click.argument("why")
@require_tournament_extra
def unban(file: Path, author: str, why: str) -> None:
    """Let AUTHOR join again: with a new invitation, or with the same account."""
    name = _open_store(file).host_actions.unban(author, why)
    click.echo(f"{name} may join again; tokens are not restored, and bots must be submitted again")


@hill.command(cls=ExampleCommand, examples=('hill forget hill.toml mine "its author asks for it"',))
@file_argument
@click.argument("bot")
@click.argument("why")
@require_tournament_extra
def forget(file: Path, bot: str, why: str) -> None:
    """Withdraw BOT, hide its name, and delete its uploads and copies; keep its results.

    The hill deletes the copies, from which BOT plays, when it runs and BOT's last match is over.
    While a backup is made, the command waits for its end.
    """
    from arena_hill.hill_access import HillAccess

    uploads = HillAccess.open(file).intake.forget_bot(bot, why)
    click.echo(
        f"{bot} is forgotten (uploads deleted: {uploads}); the hill deletes its copies after its"
        " last match"
    )


@hill.command(
    cls=ExampleCommand,
    short_help="Copy a hill while it runs.",
    examples=("hill backup hill.toml backups/2026-11-22",),
)
@file_argument
@click.argument("out", type=click.Path(path_type=Path), metavar="FOLDER")
@require_tournament_extra
def backup(file: Path, out: Path) -> None:
    """Copy the hill of FILE into a new FOLDER: databases, uploads, bots. The hill may be running.

    To restore it, copy what is in the folder back to where the hill was, and run the hill. The
    output says where a database belongs that was not in the hill's folder, and which bots that the
    file names are not copied.
    """
    from arena_hill.backup import HillBackup
    from arena_hill.hill import Hill

    for line in HillBackup(Hill.load(file), file, out).write():
        click.echo(line)


@hill.command(
    cls=ExampleCommand,
    short_help="Move matches of versions that left long ago to a file.",
    examples=(
        "hill archive hill.toml 2026.zip --dry-run",
        "hill archive hill.toml 2026.zip --days 30",
    ),
)
@file_argument
@click.argument("out", type=click.Path(path_type=Path), metavar="ZIP")
@click.option("--days", type=click.FloatRange(0, 36_500), default=90.0, show_default=True,
              help="Only versions whose last match is at least this many days ago.")  # fmt: skip
@click.option("--dry-run", "pretend", is_flag=True, help="Only say what would be archived.")
@json_option
@require_tournament_extra
def archive(file: Path, out: Path, days: float, pretend: bool, as_json: bool) -> None:
    """Move matches of versions that have left from the hill of FILE to a new file ZIP.

    Stop the hill first. Only versions whose results no longer count for ratings are moved. The file
    has results.jsonl, which `arena standings` rates, and transcripts, which `arena replay` shows.
    """
    from arena_hill.hill import Hill
    from arena_hill.old_matches import archive_matches
    from arena_hill.start_conditions import hold_hill
    from arena_hill.units import MB

    hill = Hill.load(file)
    with nullcontext() if pretend else hold_hill(hill):
        old = archive_matches(hill, out, days, pretend=pretend)
    if as_json:
        click.echo(json.dumps({**old.pack(), "dry_run": pretend}))
        return
    would = "would be " if pretend else ""
    click.echo(
        f"{would}archived: {len(old.versions):,} versions, {len(old.keys):,} matches,"
        f" {old.transcripts:,} transcripts ({old.transcript_bytes / MB:,.1f} MB)"
    )


def _is_site(url: str) -> bool:
    """Whether a text is the address of a site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _open_store(file: Path) -> HillStore:
    """Open the database of a hill; raise UserError if the file is not a hill's."""
    from arena_hill.db.store import HillStore
    from arena_hill.hill import Hill

    return HillStore.of(Hill.load(file))
