"""Copies of bots' folders take no more room than their originals, and give nobody more rights."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.host import (
    PASSABLE_MODE,
    BotError,
    ShortageError,
    copy_folder,
    measure_bytes,
    parse_entrant,
)
from arena.sandbox import Resources, Sandbox
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.bots.versions import BotVersions
from arena.tournament.entries import Entry
from arena_gops import GAME
from tests.support.programs import ECHO
from tests.support.sandboxes.memory_disks import mount_disk
from tests.support.sandboxes.tiers import tier
from tests.support.tournaments.folders import write_bot

__all__ = ["tier"]

MB = 1 << 20
SMALL = Resources(disk_mb=4)
HOLLOW = """
for number in range(3):
    with open(f"hollow{number}", "wb") as file:
        file.truncate(3 << 20)
"""
NAMES = """
import os
open("large", "wb").write(b"x" * (1 << 20))
for number in range(5):
    os.link("large", f"name{number}")
"""
HIDDEN = """
import os
os.mkdir("__pycache__")
for number in range(3):
    with open(f"__pycache__/hollow{number}", "wb") as file:
        file.truncate(3 << 20)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Write a folder with a file that has a hole, and with one that has two names."""
    home = tmp_path / "home"
    (home / "in").mkdir(parents=True)
    with (home / "hollow").open("wb") as file:
        file.write(b"begin")
        file.truncate(6 * MB)
    (home / "large").write_bytes(b"x" * MB)
    (home / "in/same").hardlink_to(home / "large")
    return home


def measure_blocks(folder: Path) -> int:
    """Return the bytes that the files of a folder take on the disk."""
    found = {path.lstat().st_ino: path.lstat().st_blocks for path in folder.rglob("*")}
    return 512 * sum(found.values())


def test_a_copy_takes_no_more_room(home: Path, tmp_path: Path) -> None:
    """Holes stay holes, and a file with two names is there once."""
    copy_folder(home, tmp_path / "copy")
    assert measure_blocks(tmp_path / "copy") == measure_blocks(home) < 2 * MB
    assert (tmp_path / "copy/hollow").read_bytes() == (home / "hollow").read_bytes()
    assert (tmp_path / "copy/in/same").samefile(tmp_path / "copy/large")


def test_a_folder_is_measured_by_what_is_more(home: Path) -> None:
    """A hole counts as it is read; what is written and not read counts, too."""
    assert measure_bytes(home) == 8 * MB
    with (home / "large").open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, 50 * MB)
        file.truncate(MB)
        allocated = os.fstat(file.fileno()).st_blocks * 512
    assert measure_bytes(home) == max(8 * MB, measure_blocks(home))
    assert measure_blocks(home) >= allocated


def test_a_copy_gives_nobody_more_rights(home: Path, tmp_path: Path) -> None:
    """No program becomes its owner's, and nobody but the host looks into the folder of copies."""
    (home / "large").chmod(0o6755)
    (home / "in").chmod(0o3755)
    version = CopyFolder(tmp_path / "bots").add(home)
    for path in (tmp_path / "bots").rglob("*"):
        assert not path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX), path
    assert (tmp_path / "bots" / version / "large").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "bots").stat().st_mode & 0o777 == PASSABLE_MODE


def plays(entry: str, contained: Sandbox, _: Path) -> None:
    """Build a bot as for a match."""
    parse_entrant(GAME, entry, contained)


def enters(entry: str, contained: Sandbox, place: Path) -> None:
    """Build a bot as for a tournament."""
    versions = BotVersions(GAME, place, place / "bots")
    known: Entry = versions.read_entry(entry)
    versions.prepare(known, contained)


@pytest.mark.each("code", "enter", "tier")
@pytest.mark.parametrize("enter", [plays, enters])
@pytest.mark.parametrize("code", [HOLLOW, NAMES, HIDDEN])
def test_a_build_leaves_no_more_than_it_may(
    tmp_path: Path, tier: str, enter: Callable[[str, Sandbox, Path], None], code: str
) -> None:
    """Holes count as they are read, and each name of a file counts: somebody may copy them."""
    home = write_bot(tmp_path, "mine", ECHO, "python3 make.py")
    (home / "make.py").write_text(code)
    with pytest.raises(BotError, match="MB of files"):
        enter(str(home), Sandbox(tier, SMALL), tmp_path)


@pytest.mark.each("enter", "tier")
@pytest.mark.parametrize("enter", [plays, enters])
def test_a_build_leaves_no_setuid_program(
    tmp_path: Path, tier: str, enter: Callable[[str, Sandbox, Path], None]
) -> None:
    """No file that a build leaves is setuid or setgid."""
    write_bot(tmp_path, "mine", ECHO, 'sh -c "chmod 6755 bot.py || true"')
    enter(str(tmp_path / "mine"), Sandbox(tier, SMALL), tmp_path)
    for path in tmp_path.rglob("*"):
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID), path


def test_a_bot_works_in_a_copy_no_larger_than_it_may_write(tmp_path: Path, tier: str) -> None:
    """A copy that exceeds the disk limit of a match is refused, since each match would write it."""
    home = write_bot(tmp_path, "mine", ECHO)
    with (home / "bot.toml").open("a") as file:
        file.write('\ndirectory = "bot"\n')
    with (home / "data").open("wb") as data:
        data.truncate(5 * MB)
    with pytest.raises(BotError, match="a copy of its folder, which has 5 MB of files; 4 MB are"):
        parse_entrant(GAME, str(home), Sandbox(tier, SMALL))
    assert parse_entrant(GAME, str(home), Sandbox(tier, Resources(disk_mb=8))).name == "mine"


def test_a_disk_that_a_build_does_not_fit_on(tmp_path: Path, tier: str) -> None:
    """A build that the limits allow, but the host's disk cannot hold, is not the bot's fault."""
    home = write_bot(tmp_path, "mine", ECHO, "python3 make.py")
    (home / "make.py").write_text('open("large", "wb").write(b"x" * (3 << 20))\n')
    with mount_disk(tmp_path / "disk") as disk:
        versions = BotVersions(GAME, tmp_path, disk.folder / "bots")
        entry = versions.read_entry("mine")
        disk.resize(2)
        with pytest.raises(ShortageError, match="No space left on device"):
            versions.prepare(entry, Sandbox(tier, SMALL))
        disk.resize(100)
        assert versions.prepare(entry, Sandbox(tier, SMALL)).sandbox
