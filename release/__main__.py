"""The commands of a release: write the version, build the files."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from release.build import MINORS, add_urls, build_all, check, export_commit, find_pythons
from release.packages import set_version


@click.group()
def release() -> None:
    """Make a release; CONTRIBUTING.md has the steps."""


@release.command("version")
@click.argument("version")
@click.option("--date", default=lambda: f"{datetime.now(UTC):%Y-%m-%d}", show_default="today",
              help="Day of the release.")  # fmt: skip
def write_version(version: str, date: str) -> None:
    """Write VERSION everywhere.

    It goes into every package, and above the unreleased lines of the changelog.
    """
    try:
        changed = set_version(version, date)
    except ValueError as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"{version}: wrote {len(changed)} files; look at them with git diff, and commit")


@release.command("build")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--repository", metavar="URL", help="Address of the project, for the metadata.")
def build(out: Path, repository: str | None) -> None:
    """Build and check archives and wheels.

    They are built from the last commit, in the folder OUT.
    """
    if out.exists() and any(out.iterdir()):
        raise click.ClickException(f"{out}: not empty; name a new folder")
    pythons = find_pythons()
    if MINORS[0] not in pythons or len(pythons) == 1:
        raise click.ClickException(
            f"the solver's wheels need Python 3.{MINORS[0]} and a newer one, found: "
            + (", ".join(map(str, pythons.values())) or "none")
        )
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="release-") as name:
        checkout = Path(name)
        export_commit(checkout)
        if repository:
            add_urls(checkout, repository)
        chosen = [pythons[MINORS[0]], pythons[min(pythons.keys() - {MINORS[0]})]]
        try:
            files = build_all(checkout, out, chosen, show=click.echo)
            click.echo("check all files")
            check(files)
        except subprocess.CalledProcessError as problem:
            raise click.ClickException(str(problem)) from None
    click.echo(f"{out}: {len(files)} files, all checked")


release()
