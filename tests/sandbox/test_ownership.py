"""A tree changes hands as a whole, and nothing that is not in it does."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.host import temporary_folder
from arena.sandbox.files import hand_over

USER, AUTHOR = 20_321, 20_322  # nobody in particular
LEVELS = 1_100  # more than there are descriptors, calls within calls, and letters in a path
ROUNDS = 40
SWAPS = f"""
import os, sys
os.setgroups([])
os.setgid({AUTHOR})
os.setuid({AUTHOR})
os.chdir(sys.argv[1])
print(flush=True)
while True:
    os.rename("tree", "moved")
    os.symlink(sys.argv[2], "tree")
    os.unlink("tree")
    os.rename("moved", "tree")
"""
"""Renames a folder, and has a link in its place for a moment, without end."""


@pytest.fixture
def room() -> Iterator[Path]:
    """Return an empty folder that goes with whatever is in it."""
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    with temporary_folder() as folder:
        folder.chmod(0o755)
        yield folder


def owner(path: Path) -> tuple[int, int]:
    """Return the user and the group of a file, and of a link itself."""
    return path.lstat().st_uid, path.lstat().st_gid


def test_everything_in_a_tree_changes_hands(room: Path) -> None:
    """Folders, files, links, pipes, names that are no text, and what nobody may look into."""
    (room / "in/side").mkdir(parents=True)
    (room / "in/side/file").write_text("text")
    (room / "link").symlink_to("/etc/passwd")
    os.mkfifo(room / "in/pipe")
    Path(os.fsdecode(bytes(room) + b"/in/\xff\n")).write_text("odd")
    (room / "in/side/file").chmod(0)
    (room / "in/side").chmod(0)
    before = Path("/etc/passwd").stat()
    hand_over(str(room), USER)
    assert {owner(path) for path in [room, *room.rglob("*")]} == {(USER, USER)}
    assert Path("/etc/passwd").stat() == before
    descriptor = os.open(room, os.O_RDONLY)
    hand_over(descriptor, 0)
    os.close(descriptor)
    assert {owner(path) for path in [room, *room.rglob("*")]} == {(0, 0)}
    assert (room / "in/side/file").stat().st_mode & 0o777 == 0


def test_no_setuid_bit_survives(room: Path) -> None:
    """No program gets the rights of a new owner, nor does a file in a folder its group."""
    (room / "folder").mkdir()
    for name, mode in (("program", 0o6755), ("text", 0o6644), ("folder", 0o3777)):
        (room / name).touch()
        (room / name).chmod(mode)
    hand_over(str(room), USER)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in room.iterdir()}
    assert modes == {"program": 0o755, "text": 0o644, "folder": 0o755}


def test_a_second_name_of_somebody_elses_file_gives_nothing_away(room: Path) -> None:
    """A file whose names are all in the tree is the tree's own, though."""
    (room / "tree/in").mkdir(parents=True)
    (room / "precious").write_text("text")
    (room / "tree/own").write_text("text")
    for name in ("tree/first", "tree/in/second"):
        (room / name).hardlink_to(room / "precious")
    (room / "tree/in/same").hardlink_to(room / "tree/own")
    hand_over(str(room / "tree"), USER)
    assert owner(room / "precious") == (0, 0)
    assert owner(room / "tree/own") == (USER, USER)


def test_a_tree_may_be_of_any_depth(room: Path) -> None:
    """It costs neither descriptors nor recursion, and no path is too long."""
    here = os.open(room, os.O_RDONLY)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for _ in range(LEVELS):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 8, hard))  # noqa: PTH208
    try:
        hand_over(str(room), USER)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    found = [os.fstat(here).st_uid, os.stat("last", dir_fd=here).st_uid]
    os.close(here)
    assert found == [USER, USER]


def test_whoever_moves_folders_meanwhile_gains_nothing(room: Path) -> None:
    """An author renames a folder of theirs and puts a link to a folder of root's in its place."""
    precious, own = room / "precious", room / "own"
    for folder in (precious, own / "tree"):
        folder.mkdir(parents=True)
        for number in range(200):
            (folder / str(number)).touch()
    os.chown(own, AUTHOR, AUTHOR)
    words = [sys.executable, "-I", "-S", "-c", SWAPS, str(own), str(precious)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as author:
        try:
            assert author.stdout
            author.stdout.readline()
            for _ in range(ROUNDS):
                with suppress(OSError):  # it is away at this moment
                    hand_over(str(own / "tree"), USER)
        finally:
            author.kill()
    assert {owner(path) for path in [precious, *precious.iterdir()]} == {(0, 0)}


def test_a_folder_that_is_not_there_is_an_error(room: Path) -> None:
    """The folder itself is the host's, and so is the fault; a link is none."""
    (room / "link").symlink_to(room)
    for name in ("nothing", "link"):
        with pytest.raises(OSError, match=r"No such file|Not a directory|Too many"):
            hand_over(str(room / name), USER)
