"""A working folder is used again only if a later program could not tell."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.host.folders import SpareFolders

SECOND_NS = 10**9


def set_times_back(folder: Path) -> None:
    """Change a folder, and give it its old times but the one that no program can set."""
    found = folder.stat()
    while folder.stat().st_ctime_ns == found.st_ctime_ns:  # the kernel's clock may be coarse
        (folder / "file").touch()
        (folder / "file").unlink()
        os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))


def write_file(folder: Path) -> None:
    """Leave a file in a folder."""
    (folder / "file").touch()


def set_time(folder: Path) -> None:
    """Leave a number in a folder's time."""
    os.utime(folder, ns=(SECOND_NS, SECOND_NS))


def rename_folder(folder: Path) -> None:
    """Put another folder in its place."""
    folder.rename(folder.with_name("other"))
    folder.mkdir()


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file": write_file,
    "a time": set_time,
    "a time that was set back": set_times_back,
    "a mode": lambda folder: folder.chmod(0o700),
    "a file beside it": lambda folder: write_file(folder.parent),
    "another folder": rename_folder,
    "no folder": lambda folder: folder.rmdir(),
    "a folder that is locked": lambda folder: folder.parent.chmod(0),
}


def test_an_untouched_folder_is_used_again() -> None:
    """It is the same one, and it goes with its owner."""
    folders = SpareFolders()
    first = folders.take()
    folders.give_back(first)
    assert folders.take() == first
    folders.give_back(first)
    folders.close()
    assert not first.room.exists()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_that_was_touched_is_removed(change: Callable[[Path], object]) -> None:
    """The next program gets another one, whatever was changed, also between two matches."""
    folders = SpareFolders()
    first = folders.take()
    change(first.folder)
    folders.give_back(first)
    assert not first.room.exists()
    second = folders.take()
    folders.give_back(second)
    change(second.folder)
    third = folders.take()
    assert third != second
    assert not second.room.exists()
    folders.give_back(third)
    folders.close()


def test_a_folder_is_private_to_its_process() -> None:
    """A fork of the host takes none of its spare folders."""
    folders = SpareFolders()
    spare = folders.take()
    folders.give_back(spare)
    folders.forget()
    other = folders.take()
    assert other != spare
    folders.give_back(spare)
    folders.give_back(other)
    folders.close()
