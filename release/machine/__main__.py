"""`python -m release.machine` runs all steps; `build`, `boot`, `copy`, `run`, `stop` are for trying things."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from release.machine import image
from release.machine.guest import Guest
from release.machine.rehearsal import Rehearsal
from release.machine.steps import STEPS

FOLDER = Path("/var/tmp/arena-machine")  # noqa: S108 -- a disk is too large for /tmp, which may be memory


@click.group(invoke_without_command=True, context_settings={"show_default": True})
@click.option(
    "--folder", type=click.Path(path_type=Path, resolve_path=True), default=FOLDER,
    envvar="ARENA_MACHINE", help="Folder of the disk, the key and the wheels.",
)  # fmt: skip
@click.option(
    "--only", "names", multiple=True, type=click.Choice([*STEPS]),
    help="Run this step only, on the machine as it is now. May be repeated.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Begin with the first step that has not passed yet.")
@click.option("--older", default="HEAD~1", help="Revision that is installed before the upgrade.")
@click.pass_context
def main(
    context: click.Context, folder: Path, names: Sequence[str], older: str, *, resume: bool
) -> None:
    """Run a hill on a Debian 12 machine that is built from nothing: all steps, one after another.

    The commands below use the same machine to try things.
    """
    context.obj = Guest(folder)
    if context.invoked_subcommand:
        return
    rehearsal = Rehearsal(context.obj, older, STEPS)
    if resume:
        passed = rehearsal.results()
        names = [name for name in STEPS if not passed.get(name, {}).get("passed")]
    names = names or [*STEPS]
    if names[0] not in ("build", "install"):  # these begin with a fresh disk
        context.obj.boot()
    sys.exit(not rehearsal.run(names))


@main.command
@click.pass_obj
def build(guest: Guest) -> None:
    """Build the machine's disk (as root)."""
    image.build(guest.folder)


@main.command
@click.option("--fresh", is_flag=True, help="Begin with the disk as it was built.")
@click.option("--backports", is_flag=True, help="Use the kernel of Debian's backports.")
@click.pass_obj
def boot(guest: Guest, *, fresh: bool, backports: bool) -> None:
    """Start the machine and wait until ssh answers."""
    guest.boot(fresh=fresh, backports=backports)


@main.command
@click.option("--user", default=image.USER, help="User whose home it is copied to.")
@click.argument("checkout", type=click.Path(path_type=Path, exists=True), default=Path())
@click.pass_obj
def copy(guest: Guest, user: str, checkout: Path) -> None:
    """Copy a checkout to `checkout` in a user's home."""
    guest.copy(checkout, user)


@main.command
@click.option("--user", default="root", help="User who runs it.")
@click.argument("command")
@click.pass_obj
def run(guest: Guest, user: str, command: str) -> None:
    """Run a shell command inside; exit with its status."""
    sys.exit(guest.run(command, user).returncode)


@main.command
@click.pass_obj
def stop(guest: Guest) -> None:
    """Shut the machine down."""
    guest.stop()


if __name__ == "__main__":
    main(prog_name="python -m release.machine")
