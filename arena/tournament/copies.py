"""Copies of bots' folders, called by the hash of what is in them.

A copy stays as it is while its owner works on, is built once, and travels to workers on
other machines under the same name.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Unpack

from arena.host import (
    PASSABLE_MODE,
    BadBot,
    BotFile,
    BuildTerms,
    MachineError,
    build,
    check_built,
    copy,
    load,
    look_through,
    make_readable,
    measure,
    remove,
    settle,
    temporary,
)
from arena.rules import in_words
from arena.sandbox import Sandbox
from arena.wires import printable

DIGITS = 12  # hexadecimal, of a version
WHOLE = 64  # of a hash that nobody finds a second folder for
CHUNK = 2**20  # bytes of a file in memory
RUNS = 0o111  # bits of a file's mode: whoever may run it
BUILT = ".built"
SUM = ".sum"
FRESH = ".fresh-"  # begins the name of a folder in which a copy is made
DISCARDED = ".discarded-"  # begins the name of a copy that is being removed


def version_of(*parts: bytes) -> str:
    """Return the hash of what something is made of.

    >>> version_of(b"ab", b"c") == version_of(b"a", b"bc")
    False
    """
    hashed = blake2b(digest_size=DIGITS // 2)
    for part in parts:
        _add(hashed, part)
    return hashed.hexdigest()


def folder_version(folder: Path, digits: int = DIGITS) -> str:
    """Return the hash of a folder: its files' names, contents, and whether they can be run."""
    hashed = blake2b(digest_size=digits // 2)
    for found in look_through(folder):
        path = folder / found.path
        if found.is_folder:
            continue
        _add(hashed, os.fsencode(found.path))
        if found.is_link:
            _add(hashed, b"link")
            _add(hashed, os.fsencode(path.readlink()))
        else:
            _add(hashed, b"run" if found.status.st_mode & RUNS else b"")
            _add_file(hashed, path, found.status.st_size)
    return hashed.hexdigest()


def settings_version(file: BotFile, given: str) -> str:
    """Return the hash of a bot's parameters, or nothing where all are as its file has them."""
    values = settle(file.parameters, given)
    own = {
        name: values[name] for name, one in file.parameters.items() if values[name] != one.default
    }
    return version_of(json.dumps(own, sort_keys=True).encode()) if own else ""


def copy_of(version: str) -> str:
    """Return what the copy of an entrant's folder is called: its version without its parameters.

    Entrants that differ by their parameters alone share a copy, which is built once.
    """
    return version[:DIGITS]


def _add(hashed: blake2b, part: bytes) -> None:
    hashed.update(len(part).to_bytes(8, "big") + part)


def _add_file(hashed: blake2b, path: Path, size: int) -> None:
    """Add what a file holds, without having it in memory as a whole."""
    hashed.update(size.to_bytes(8, "big"))
    with open(path, "rb", opener=_plainly) as file:
        while part := file.read(CHUNK):
            hashed.update(part)


def _plainly(path: str, flags: int) -> int:
    """Open a file, and no link or pipe that somebody has put in its place."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def take(folder: Path, bots: Path) -> str:
    """Copy a folder, if it is not there yet; return its version.

    Raises:
        BadBot: where the folder is nothing that can be copied.
        MachineError: where the machine cannot copy it.
    """
    try:
        return _taken(folder, bots)
    except OSError as problem:
        shown = printable(str(folder))
        raise MachineError(f"{shown} cannot be copied to {bots}: {in_words(problem)}") from None


def _taken(folder: Path, bots: Path) -> str:
    """Make a copy that is there as a whole, or not at all; its version is that of the copy."""
    _make_private(bots)
    with temporary(bots, prefix=FRESH) as fresh:
        copy(folder, fresh / "copy")
        version = folder_version(fresh / "copy")
        if not (bots / version).exists():
            _unmark(bots, version)
            (fresh / "copy").rename(bots / version)
    return version


def _make_private(bots: Path) -> None:
    """Make the folder of copies, in which nobody but programs that play has anything to do."""
    bots.mkdir(parents=True, exist_ok=True)
    bots.chmod(PASSABLE_MODE)


def clear_leftovers(bots: Path) -> None:
    """Remove copies that were not finished, when nobody makes one."""
    for left in bots.glob(f"{FRESH}*"):
        remove(left)


def discard(bots: Path, version: str) -> bool:
    """Remove the copy that an entrant of this version plays from; say whether there was one."""
    copied = copy_of(version)
    gone = bots / f"{DISCARDED}{copied}"
    remove(gone)  # of a removal that was cut off
    there = (bots / copied).is_dir()
    if there:
        (bots / copied).rename(gone)  # as a whole: nobody plays from half a copy
        _unmark(bots, copied)
        remove(gone)
    return there


def copy_sizes(bots: Path) -> dict[str, int]:
    """Return the bytes of each copy that is there, by what it is called, as they count."""
    sizes: dict[str, int] = {}
    with suppress(FileNotFoundError), os.scandir(bots) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                with suppress(BadBot, OSError):  # it has gone meanwhile, or is no stranger's
                    sizes[entry.name] = _size_of(bots, entry.name)
    return sizes


def _size_of(bots: Path, version: str) -> int:
    """Return the bytes of a copy, which were written down when it was handed over."""
    with suppress(FileNotFoundError):
        if known := _mark(bots, version).read_text():
            return int(known)
    return measure(bots / version)


def _unmark(bots: Path, version: str) -> None:
    """Remove what is known of a copy that is no more there."""
    for mark in (BUILT, SUM):
        (bots / f"{version}{mark}").unlink(missing_ok=True)


def unbuilt(bots: Path, version: str) -> bool:
    """Has a copy to be built, and has not been? Raise BadBot."""
    return not _mark(bots, version).exists() and bool(load(bots / version).build)


def make_ready(
    bots: Path, version: str, sandbox: Sandbox | None = None, **terms: Unpack[BuildTerms]
) -> None:
    """Build a copy, in a sandbox perhaps, if that has not been done; raise Unbuilt."""
    mark = _mark(bots, version)
    if not mark.exists():
        command = load(bots / version).build
        if command:
            build(bots / version, command, sandbox, **terms)
            check_built(bots / version, sandbox, bots / version)
        mark.touch()
    if sandbox:
        make_readable(bots / version)


def hand_over(bots: Path, version: str, folder: Path, to: Path) -> None:
    """Move a copy of a folder, built elsewhere, to where it is played; one that is there stays.

    It comes as a whole: what is cut off on the way leaves marks without a copy, and whoever
    takes a copy of this version removes them. Raise BadBot where the one that is there was
    handed over for another folder, which somebody has made to be taken for this one.
    """
    _make_private(to)
    known, whole = to / f"{version}{SUM}", folder_version(folder, WHOLE)
    if not (to / version).exists():
        known.write_text(whole)
        _mark(to, version).write_text(str(measure(bots / version)))
        (bots / version).rename(to / version)
    elif known.exists() and known.read_text() != whole:
        raise BadBot(f"its version {version} is that of another bot: change something in it")


def _mark(bots: Path, version: str) -> Path:
    """Return the file that is there once a copy is built."""
    return bots / f"{version}{BUILT}"
