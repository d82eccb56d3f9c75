"""Copies of bots' folders, called by the hash of what is in them.

A copy stays as it is while its owner works on, is built once, and travels to workers on
other machines under the same name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from arena.botfile import BadBot, build, load
from arena.errors import in_words

DIGITS = 12  # hexadecimal, of a version
NO_PART = ("__pycache__", ".git")  # what comes and goes without anybody's doing
BUILT = ".built"


def version_of(*parts: bytes) -> str:
    """Give the hash of what something is made of.

    >>> version_of(b"ab", b"c") == version_of(b"a", b"bc")
    False
    """
    hashed = blake2b(digest_size=DIGITS // 2)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()


def folder_version(folder: Path) -> str:
    """Give the hash of a folder: its files' names, contents, and whether they can be run."""
    return version_of(*(part for path in _files(folder) for part in _parts(folder, path)))


def _files(folder: Path) -> Iterator[Path]:
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in NO_PART)
        links = [name for name in folders if Path(base, name).is_symlink()]
        yield from (Path(base, name) for name in sorted([*files, *links]))


def _parts(folder: Path, path: Path) -> tuple[bytes, ...]:
    name = os.fsencode(path.relative_to(folder))
    if path.is_symlink():
        return name, b"link", os.fsencode(path.readlink())
    if not path.is_file():
        raise BadBot(f"{path} is neither a file nor a folder, and cannot be copied")
    return name, b"run" if os.access(path, os.X_OK) else b"", path.read_bytes()


def take(folder: Path, bots: Path) -> str:
    """Copy a folder, if it is not there yet; give its version, or raise BadBot."""
    try:
        version = folder_version(folder)
        if not (bots / version).exists():
            _copy(folder, bots, version)
    except OSError as problem:
        raise BadBot(f"{folder} cannot be copied to {bots}: {in_words(problem)}") from None
    return version


def _copy(folder: Path, bots: Path, version: str) -> None:
    """Make a copy that is there as a whole, or not at all."""
    bots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=bots, prefix=".") as fresh:
        copy = Path(fresh, "copy")
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(*NO_PART))
        (bots / f"{version}{BUILT}").unlink(missing_ok=True)
        copy.rename(bots / version)


def make_ready(bots: Path, version: str) -> None:
    """Build a copy, if that has not been done; raise Unbuilt."""
    mark = bots / f"{version}{BUILT}"
    if not mark.exists():
        command = load(bots / version).build
        if command:
            build(bots / version, command)
        mark.touch()
