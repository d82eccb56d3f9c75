"""`arena hill run`: the command that runs a hill, and starts its processes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from arena import UserError
from arena.extend import ExampleCommand, require_tournament_extra
from arena_web.cli import PORT, hosts_option, proxies_option

file_argument = click.argument("file", type=click.Path(path_type=Path))
port_option = click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True,
                           help="Port to listen on.")  # fmt: skip
trust_option = click.option("--trust-everybody", is_flag=True,
                            help="Run untrusted programs without a sandbox.")  # fmt: skip

share_option = click.option("--share-user", is_flag=True,
                            help="Run untrusted programs as your own user.")  # fmt: skip


yes_option = click.option("--yes", is_flag=True,
                          help="Do not ask before changed settings take places.")  # fmt: skip


@click.command(
    cls=ExampleCommand,
    short_help="Run a hill: play, check submissions, show the standings.",
    examples=(
        "hill run hill.toml",
        "hill run hill.toml --host-name hill.example --proxy 127.0.0.1",
    ),
)
@file_argument
@port_option
@hosts_option
@proxies_option
@trust_option
@share_option
@yes_option
@require_tournament_extra
def run(  # by click, by their names
    file: Path,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    trust_everybody: bool,
    share_user: bool,
    yes: bool,
) -> int:
    """Run the hill of FILE, a tournament's file with a table [hill], until you press Ctrl-C.

    The hill plays, checks what authors submit, and shows all of it at a port of this machine. Put a
    proxy in front of it so that others can see it. The first Ctrl-C finishes the matches that are
    being played, a second one abandons them.

    If settings have changed so that bots would lose their places, or sources become public, it asks
    first; without a terminal it does not start, unless with --yes.
    Exit status: 0 after a signal, 2 if the hill cannot start.
    """
    from arena.extend import AUTO, check_folders, find_sandbox, find_shortcomings
    from arena.tournament import Tournament
    from arena_hill.db.hill_database import open_database
    from arena_hill.hill_paths import get_heartbeat_folder, get_hill_config
    from arena_hill.hill_start import hold_hill, list_losses
    from arena_hill.supervisor import HillSupervisor
    from arena_hill.web.oauth import OAuthLogin
    from arena_web.server import open_listener

    spec = Tournament.load(file).spec
    oauth = get_hill_config(spec).oauth
    if find_sandbox(AUTO):
        check_folders(spec)
    elif not trust_everybody:
        raise UserError(
            "no sandbox works here, and a hill runs untrusted programs: run `arena doctor` to see"
            " what is missing, or use --trust-everybody"
        )
    if not (trust_everybody or share_user) and (lacking := find_shortcomings()["users"]):
        raise UserError(
            f"untrusted programs would run as your own user and could disturb each other:"
            f" {lacking}; or use --share-user"
        )
    trust = ("--trust-everybody",) * trust_everybody
    names = [word for host in hosts for word in ("--host-name", host)]
    believed = [word for proxy in proxies for word in ("--proxy", proxy)]
    begin = ("hill", "process")
    supervisor = HillSupervisor.of(
        {
            "coordinator": (*begin, "coordinator", str(file), *trust),
            "judge": (*begin, "judge", str(file), *trust),
            "web": (*begin, "web", str(file), "--port", str(port), *names, *believed),
        },
        get_heartbeat_folder(spec),
    )
    with hold_hill(spec):  # what its processes would refuse is refused before they start
        open_listener(port).close()
        if oauth:
            OAuthLogin.of(spec.home, oauth)
        if (losses := list_losses(spec, open_database(spec))) and not yes:
            _confirm(file, losses)
        return supervisor.run()


def _confirm(file: Path, losses: Sequence[str]) -> None:
    """Ask whether the hill is to start all the same; raise UserError if not."""
    said = f"{file}: {'; '.join(losses)}"
    if not sys.stdin.isatty():
        raise UserError(f"{said}. If you want that, run it once with --yes")
    if not click.confirm(f"{said}. Start the hill?", err=True):
        raise UserError("the hill was not started; nothing has changed")


@click.command(
    cls=ExampleCommand,
    short_help="Copy a hill while it runs.",
    examples=("hill backup hill.toml backups/2026-11-22",),
)
@file_argument
@click.argument("out", type=click.Path(path_type=Path), metavar="FOLDER")
@require_tournament_extra
def backup(file: Path, out: Path) -> None:
    """Copy the hill of FILE into a new FOLDER: databases, uploads, bots. The hill may be running.

    To restore it, copy what is in the folder back to where the hill was, and run the hill.
    """
    from arena.tournament import Tournament
    from arena_hill.backup import back_up

    for line in back_up(Tournament.load(file).spec, file, out):
        click.echo(line)


@click.command(name="process", hidden=True)
@click.argument("name", type=click.Choice(["coordinator", "judge", "web"]))
@file_argument
@port_option
@hosts_option
@proxies_option
@trust_option
def run_process(  # by click, by their names
    name: str,
    file: Path,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    trust_everybody: bool,
) -> None:
    """Run one of a hill's processes until its standard input is closed."""
    from arena_hill import process_entry_points

    if name == "coordinator":
        process_entry_points.run_coordinator(file, trust_everybody=trust_everybody)
    elif name == "judge":
        process_entry_points.run_judge(file, trust_everybody=trust_everybody)
    else:
        process_entry_points.run_web(file, port, hosts, proxies)
