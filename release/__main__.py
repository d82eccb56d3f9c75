"""The commands of a release: write the version, build the files, upload them."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic

import click

from release.packages import build_urls, check_clean, set_version


@click.group()
def release() -> None:
    """Make a release; CONTRIBUTING.md has the steps."""


@release.command("version")
@click.argument("version")
@click.option("--date", default=lambda: f"{datetime.now(UTC):%Y-%m-%d}", show_default="today",
              help="Day of the release.")  # fmt: skip
@click.option("--repository", metavar="URL", help="Address of the project, if it is new.")
@click.option("--book", metavar="URL", help="Address of the book, if it is new.")
def write_version(version: str, date: str, repository: str | None, book: str | None) -> None:
    """Write VERSION everywhere.

    It goes into every package, the citation, and above the unreleased lines of the changelog.
    """
    if (repository is None) != (book is None):
        raise click.UsageError("give both --repository and --book, or neither")
    urls = build_urls(repository, book) if repository and book else None
    try:
        check_clean()
        changed = set_version(version, date, urls=urls)
    except ValueError as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"{version}: wrote {len(changed)} files; look at them with git diff, and commit")
    click.echo("to take it back: git restore .")


@release.command("build")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def build(out: Path) -> None:
    """Build and check archives, wheels and the book.

    They are built from the last commit, in the folder OUT.
    """
    from build import BuildBackendException  # of the group `release`, which `version` does without

    from release.build import build_all

    if out.exists() and any(out.iterdir()):
        raise click.ClickException(f"{out}: not empty; name a new folder")
    began = monotonic()

    def show(line: str) -> None:
        click.echo(f"{monotonic() - began:5.0f} s  {line}")

    try:
        check_clean()
        files = build_all(out.resolve(), show)
    except (subprocess.CalledProcessError, BuildBackendException, ValueError) as problem:
        raise click.ClickException(str(problem)) from None
    show(f"{out}: {len(files)} files, all checked, and the book")


@release.command("upload")
@click.argument("folder", type=click.Path(file_okay=False, exists=True, path_type=Path))
@click.option("--dry-run/--no-dry-run", default=True, show_default=True,
              help="Print what would be uploaded, and upload nothing.")  # fmt: skip
def upload(folder: Path, dry_run: bool) -> None:
    """Upload the archives and wheels in FOLDER to the package index.

    They go to the index that twine is set up for.
    """
    files = sorted([*folder.glob("*.tar.gz"), *folder.glob("*.whl")])
    if not files:
        raise click.ClickException(f"{folder}: neither archives nor wheels")
    for file in files:
        data = file.read_bytes()
        click.echo(f"{len(data) / 1000:8,.0f} kB  {sha256(data).hexdigest()[:16]}  {file.name}")
    if dry_run:
        click.echo(f"files: {len(files)}; nothing was uploaded (--no-dry-run uploads them)")
        return
    done = subprocess.run([sys.executable, "-m", "twine", "upload", *files], check=False)
    if done.returncode:
        raise click.ClickException("the upload failed; what was uploaded stays there")


release()
