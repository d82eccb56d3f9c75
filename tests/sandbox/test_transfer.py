"""What a program has written is copied as it is, within bounds, and nothing else is."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.host import temporary_folder
from arena.sandbox.files import MAX_DEPTH, TransferLimitError, copy_back, copy_in
from arena.sandbox.messages import ResourceBounds
from tests.support.checkout import ROOT

BOUNDS: ResourceBounds = {
    "memory": None,
    "cpu": None,
    "processes": 1,
    "disk": 1 << 20,
    "files": 100,
}
HOLE = 900_000  # bytes
USER = 20_321  # nobody in particular
CGROUP_ROOT = 'mount -t tmpfs -o size=128k none "$1" && exec "$2" -c "$3" "$4" "$1"'
FULL = """
import os, sys
from arena.sandbox.files import copy_back, copy_in
ends = [os.open(path, os.O_RDONLY) for path in sys.argv[1:]]
bounds = {{"disk": 1 << 20, "files": 100}}
try:
    {}
except Exception as problem:
    print(type(problem).__name__)
"""
"""Copies into a folder on a disk that is too small for it, and says what came of that."""


@pytest.fixture(autouse=True)
def _require_root() -> None:
    """Skip tests where this process has no right to all files; a supervisor always has it."""
    if os.geteuid() != 0:
        pytest.skip("only root copies what belongs to others")


@pytest.fixture
def room() -> Iterator[Path]:
    """Return a folder with two others, which go with whatever is in them."""
    with temporary_folder() as folder:
        for name in ("source", "target"):
            (folder / name).mkdir()
        yield folder


@contextmanager
def opened(room: Path) -> Iterator[tuple[int, int]]:
    """Open both folders."""
    pair = [os.open(room / name, os.O_RDONLY) for name in ("source", "target")]
    try:
        yield pair[0], pair[1]
    finally:
        for descriptor in pair:
            os.close(descriptor)


def back(room: Path) -> None:
    """Copy from the source to the target, as when a program has ended."""
    with opened(room) as (source, target):
        copy_back(source, target, BOUNDS)


def fill(source: Path) -> None:
    """Write something of each kind."""
    (source / "in/side").mkdir(parents=True)
    (source / "in/file").write_text("text")
    (source / "in/file").chmod(0o4710)
    (source / "in/side/same").hardlink_to(source / "in/file")
    (source / "link").symlink_to("/etc/passwd")
    (source / "empty").touch()
    (source / "locked").mkdir()
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(source / "socket"))
    with (source / "holes").open("wb") as file:
        file.seek(HOLE)
        file.write(b"end")
        file.truncate(HOLE + 8_000)
    os.utime(source / "in/file", ns=(1_000, 2_000))
    os.utime(source / "in/side", ns=(3_000, 4_000))
    (source / "in/side").chmod(0o2750)
    (source / "locked").chmod(0o1000)


def see_alike(source: Path, target: Path) -> None:
    """See that all is there but what is neither file nor folder nor link."""
    paths = {str(path.relative_to(target)) for path in target.rglob("*")}
    assert paths == {"in", "in/side", "in/file", "in/side/same", "link", "empty", "locked", "holes"}
    assert (target / "in/file").read_text() == "text"
    assert (target / "in/file").stat().st_ino == (target / "in/side/same").stat().st_ino
    assert (target / "link").readlink() == Path("/etc/passwd")
    assert (target / "holes").read_bytes() == (source / "holes").read_bytes()
    assert (target / "holes").stat().st_blocks * 512 < HOLE
    modes = {str(path.relative_to(target)): path.stat().st_mode & 0o7777
             for path in target.rglob("*") if not path.is_symlink()}  # fmt: skip
    assert (modes["in/file"], modes["in/side"], modes["locked"]) == (0o710, 0o750, 0)
    for name in ("in/file", "in/side", "holes"):
        assert (target / name).stat().st_mtime_ns == (source / name).stat().st_mtime_ns


def test_a_folder_comes_back_as_it_is(room: Path) -> None:
    """Names, contents, holes, links, times and modes stay; what was there before is gone."""
    fill(room / "source")
    (room / "target/old/deep").mkdir(parents=True)
    (room / "target/old/deep/file").touch()
    (room / "target/.arena-cut").mkdir(mode=0o1700)  # of a host that was killed meanwhile
    back(room)
    see_alike(room / "source", room / "target")


def test_a_folder_goes_in_as_the_programs_own(room: Path) -> None:
    """Every file, folder and link of the copy belongs to the user of the program."""
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    fill(room / "source")
    (room / "source/.arena-cut").mkdir(mode=0o1700)
    with opened(room) as (source, target):
        copy_in(source, target, USER, BOUNDS)
    see_alike(room / "source", room / "target")
    assert {path.lstat().st_uid for path in (room / "target").rglob("*")} == {USER}


def test_no_name_is_reserved(room: Path) -> None:
    """Files and folders stay whatever they are called, on their way back and on their way in."""
    (room / "source/.arena-notes").mkdir()
    (room / "source/.arena-sticky").mkdir()
    (room / "source/.arena-sticky").chmod(0o1777)
    (room / "source/.arena-").write_text("text")
    expected = {".arena-", ".arena-notes", ".arena-sticky"}
    back(room)
    assert {path.name for path in (room / "target").iterdir()} == expected
    (room / "source").rename(room / "before")
    (room / "target").rename(room / "source")
    (room / "target").mkdir()
    with opened(room) as (source, target):
        copy_in(source, target, os.getuid(), BOUNDS)
    assert {path.name for path in (room / "target").iterdir()} == expected


def test_nobody_else_may_change_a_copy(room: Path) -> None:
    """Bits that let others write are not copied, of files and of folders."""
    (room / "source/open").mkdir()
    (room / "source/open/file").touch()
    for path in (room / "source/open/file", room / "source/open"):
        path.chmod(0o777)
    back(room)
    for name in ("open", "open/file"):
        assert (room / "target" / name).stat().st_mode & 0o7777 == 0o755


def test_what_a_disk_does_not_take_is_the_programs_fault(room: Path) -> None:
    """What no copy can have is named as a limit, and what was kept before stays."""
    (room / "target/kept").touch()
    large(room / "source")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(TransferLimitError, match=r"^'.*': File too large$"):
            back(room)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in (room / "target").iterdir()] == ["kept"]


def many(source: Path) -> None:
    """Write more files than there may be."""
    for number in range(BOUNDS["files"] + 1):
        (source / str(number)).touch()


def many_names(source: Path) -> None:
    """Give one file more names than there may be files."""
    (source / "file").touch()
    for number in range(BOUNDS["files"]):
        (source / str(number)).hardlink_to(source / "file")


def large(source: Path) -> None:
    """Write files that are too large together."""
    for number in range(3):
        (source / str(number)).write_bytes(b"x" * (BOUNDS["disk"] // 2))


def hollow(source: Path) -> None:
    """Write a file that takes no room, and would fill a disk if it were read."""
    with (source / "file").open("wb") as file:
        file.truncate(1 << 40)


def deep(source: Path) -> None:
    """Make one folder too many inside each other."""
    source.joinpath(*["in"] * (MAX_DEPTH + 1)).mkdir(parents=True)


@pytest.mark.parametrize(
    ("write", "limit"),
    [
        (many, "more than 100 files"),
        (many_names, "more than 100 files"),
        (large, "more than 1 MB of files"),
        (hollow, "more than 1 MB of files"),
        (deep, "more than 64 nested folders"),
    ],
)
def test_what_passes_a_bound_is_left_where_it_is(
    room: Path, write: Callable[[Path], None], limit: str
) -> None:
    """The error names the bound, and the target stays as it was."""
    write(room / "source")
    (room / "target/kept").write_text("text")
    with pytest.raises(TransferLimitError) as raised:
        back(room)
    assert str(raised.value) == limit
    assert [path.name for path in (room / "target").iterdir()] == ["kept"]
    with opened(room) as (source, target), pytest.raises(TransferLimitError):
        copy_in(source, target, os.getuid(), BOUNDS)


def test_as_many_folders_inside_each_other_as_may_be_are_copied(room: Path) -> None:
    """Where their names are long, the path from the top is longer than a path may be."""
    here = os.open(room / "source", os.O_RDONLY)
    for _ in range(MAX_DEPTH):
        os.mkdir("x" * 255, dir_fd=here)
        below = os.open("x" * 255, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT, dir_fd=here))
    os.link("file", "same", src_dir_fd=here, dst_dir_fd=here)
    os.close(here)
    back(room)
    found = sum(len(names) for _, names, *_ in os.fwalk(room / "target"))
    assert found == MAX_DEPTH
    (files,) = (files for _, _, files, _ in os.fwalk(room / "target") if files)
    assert sorted(files) == ["file", "same"]


def test_a_target_that_is_full_is_a_bound_on_the_way_in(room: Path) -> None:
    """A program's own file system is as large as it may write; a full disk is the host's fault."""
    (room / "source/file").write_bytes(b"x" * 200_000)
    for function, error in (("copy_in(*ends, 0, bounds)", "TransferLimitError"),
                            ("copy_back(*ends, bounds)", "OSError")):  # fmt: skip
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", CGROUP_ROOT, "sh", str(room / "target"), sys.executable,
             FULL.format(function), str(room / "source")],
            capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        if "mount" in done.stderr or "propagation" in done.stderr:
            pytest.skip(f"nothing can be mounted here: {done.stderr}")
        assert done.stdout.split() == [error], done.stderr
