"""`arena hill run`: the command that runs a hill, and starts its processes."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import with_numbers
from arena.cli.lazy import Examples
from arena.rules import UserError
from arena_web.options import PORT, hosts_option, proxies_option

a_file = click.argument("file", type=click.Path(path_type=Path))
port_option = click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True,
                           help="Where to listen.")  # fmt: skip
trust_option = click.option("--trust-everybody", is_flag=True,
                            help="Run strangers' programs without a sandbox.")  # fmt: skip

share_option = click.option("--share-user", is_flag=True,
                            help="Run strangers' programs as your own user.")  # fmt: skip


@click.command(
    cls=Examples,
    short_help="Run a hill: play, check submissions, show the standings.",
    examples=(
        "hill run hill.toml",
        "hill run hill.toml --host-name hill.example --proxy 127.0.0.1",
    ),
)
@a_file
@port_option
@hosts_option
@proxies_option
@trust_option
@share_option
@with_numbers
def run(  # noqa: PLR0917  # by click, by their names
    file: Path,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    trust_everybody: bool,
    share_user: bool,
) -> int:
    """Run the hill of FILE, a tournament's file with a table [hill], until you press Ctrl-C.

    The hill plays, checks what authors submit, and shows all of it at a port of this machine. Put a
    proxy in front of it so that others can see it. The first Ctrl-C finishes the matches that are
    being played, a second one abandons them.
    Exit status: 0 after a signal, 2 if the hill cannot start.
    """
    from arena.sandbox import AUTO, sandbox, shortcomings
    from arena.tournament import Tournament
    from arena_web.hill.places import alive_of, register_of
    from arena_web.hill.running import Keeper

    spec = Tournament.load(file).spec
    register_of(spec)
    if not trust_everybody and sandbox(AUTO) is None:
        raise UserError(
            "no sandbox holds here, and a hill plays strangers' programs: see `arena doctor` for"
            " what is missing, or say --trust-everybody"
        )
    if not (trust_everybody or share_user) and (lacking := shortcomings()["users"]):
        raise UserError(
            f"strangers' programs would run as your own user and could disturb each other:"
            f" {lacking}; or say --share-user"
        )
    trust = ("--trust-everybody",) * trust_everybody
    names = [word for host in hosts for word in ("--host-name", host)]
    believed = [word for proxy in proxies for word in ("--proxy", proxy)]
    begin = ("hill", "part")
    return Keeper.of(
        {
            "coordinator": (*begin, "coordinator", str(file), *trust),
            "porter": (*begin, "porter", str(file), *trust),
            "web": (*begin, "web", str(file), "--port", str(port), *names, *believed),
        },
        alive_of(spec),
    ).run()


@click.command(
    cls=Examples,
    short_help="Copy a hill while it runs.",
    examples=("hill backup hill.toml backups/2026-11-22",),
)
@a_file
@click.argument("out", type=click.Path(path_type=Path), metavar="FOLDER")
@with_numbers
def backup(file: Path, out: Path) -> None:
    """Copy the hill of FILE into a new FOLDER: databases, uploads, bots. The hill may be running.

    To restore it, copy what is in the folder back to where the hill was, and run the hill.
    """
    from arena.tournament import Tournament
    from arena_web.hill.backup import back_up

    for line in back_up(Tournament.load(file).spec, file, out):
        click.echo(line)


@click.command(hidden=True)
@click.argument("name", type=click.Choice(["coordinator", "porter", "web"]))
@a_file
@port_option
@hosts_option
@proxies_option
@trust_option
def part(  # noqa: PLR0917  # by click, by their names
    name: str,
    file: Path,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    trust_everybody: bool,
) -> None:
    """Run one of a hill's processes, as long as its standard input is open."""
    from arena_web.hill import parts

    if name == "coordinator":
        parts.coordinate(file, trust_everybody=trust_everybody)
    elif name == "porter":
        parts.carry(file, trust_everybody=trust_everybody)
    else:
        parts.show(file, port, hosts, proxies)
