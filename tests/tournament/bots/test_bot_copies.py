"""Copies of bots: nobody but the host changes them, and what is in them is the bot's fault."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from pathlib import Path

import pytest

from arena.host import BotError, MachineError
from arena.sandbox import Resources, Sandbox
from arena.tournament.bots.versions import BotVersions
from arena_gops import GAME
from tests.support.programs import ECHO
from tests.support.sandboxes.tiers import tier
from tests.support.tournaments.folders import (
    SHORT,
    list_states,
    run_tournament,
    write_bot,
    write_tournament,
)

__all__ = ["tier"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]

OPENED = "sh -c 'mkdir -p in; touch made in/made; chmod -R 0777 .'"
NAME_LENGTH, LEVELS = 255, 20  # of folders in folders, whose path is longer than one may be
DEEP = f"""
import os
for _ in range({LEVELS}):
    os.mkdir("x" * {NAME_LENGTH})
    os.chdir("x" * {NAME_LENGTH})
"""
SMALL = Resources(disk_mb=4)


@pytest.fixture
def versions(tmp_path: Path) -> BotVersions:
    return BotVersions(GAME, tmp_path, tmp_path / "tournament.arena" / "bots")


def find_writable(folder: Path) -> list[str]:
    """Return what others than the owner may change in a folder, and the folder itself."""
    paths = [folder, *folder.rglob("*")]
    return [path.name for path in paths if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)]


@pytest.mark.parametrize("contained", [True, False])
def test_a_build_opens_its_copy_to_nobody(
    versions: BotVersions, tmp_path: Path, tier: str, contained: bool
) -> None:
    """A build that lets everybody write leaves a copy that the host alone may change."""
    write_bot(tmp_path, "mine", ECHO, build=OPENED)
    entry = versions.read_entry("mine")
    versions.prepare(entry, Sandbox(tier, SMALL) if contained else None)
    copy = versions.bots / entry.version
    assert (copy / "in/made").exists()
    assert find_writable(versions.bots) == []
    assert {path.stat().st_uid for path in [copy, *copy.rglob("*")]} == {os.geteuid()}


def test_a_copy_is_no_more_open_than_its_host(versions: BotVersions, tmp_path: Path) -> None:
    """A folder that everybody may change is copied to one that the host alone may change."""
    home = write_bot(tmp_path, "mine", ECHO)
    for path in (home / "bot.py", home):
        path.chmod(0o777)
    versions.read_entry("mine")
    assert find_writable(versions.bots) == []


def test_nobody_else_moves_the_folder_of_copies(tmp_path: Path) -> None:
    """A run takes from others the right to rename what is in the data folder."""
    spec = write_tournament(tmp_path, SHORT, "random", second="random")
    (spec.data_folder / "kept").mkdir(parents=True)
    spec.data_folder.chmod(0o777)
    run_tournament(spec)
    assert find_writable(spec.data_folder) == []


def test_a_copy_that_has_changed_is_made_anew(
    versions: BotVersions, tmp_path: Path, tier: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A changed copy is replaced from its source, and built again, which is said in a line."""
    write_bot(tmp_path, "mine", ECHO, build="touch made")
    entry = versions.read_entry("mine")
    sandbox = Sandbox(tier, SMALL)
    versions.prepare(entry, sandbox)
    copy = versions.bots / entry.version
    for name in ("bot.py", "made"):
        (copy / name).write_text("else")
        with caplog.at_level(logging.WARNING):
            versions.prepare(entry, sandbox)
        assert ((copy / "bot.py").read_text(), (copy / "made").read_text()) == (ECHO, "")
        assert f"mine: its copy {copy} had changed since it was built" in caplog.text
        caplog.clear()
    versions.prepare(entry, sandbox)
    assert caplog.text == ""


@pytest.mark.parametrize("change", ["bot.py", "__pycache__"])
def test_a_changed_copy_without_its_source_plays_nothing(
    versions: BotVersions, tmp_path: Path, tier: str, change: str
) -> None:
    """The error names the entrant and the copy, and blames nobody's bot."""
    home = write_bot(tmp_path, "mine", ECHO)
    entry = versions.read_entry("mine", "ada")
    versions.prepare(entry, Sandbox(tier))
    shutil.rmtree(home)
    copy = versions.bots / entry.version
    if change == "__pycache__":
        (copy / change).mkdir()
        (copy / change / "bot.pyc").touch()
    else:
        (copy / change).write_text("else")
    with pytest.raises(MachineError, match=f"^ada: its copy {copy} has changed since it was built"):
        versions.prepare(entry, Sandbox(tier))


def test_a_trusted_bot_may_write_to_its_copy(versions: BotVersions, tmp_path: Path) -> None:
    """What a trusted program leaves beside itself stays there from run to run."""
    write_bot(tmp_path, "mine", ECHO)
    entry = versions.read_entry("mine")
    versions.prepare(entry, None)
    (versions.bots / entry.version / "learnt").touch()
    versions.prepare(entry, None)
    assert (versions.bots / entry.version / "learnt").exists()


def test_a_build_too_deep_for_a_path_is_left_out(tmp_path: Path, tier: str) -> None:
    """What a build leaves is the bot's fault, whatever the system says: the others play on."""
    home = write_bot(tmp_path, "mine", ECHO, build="python3 make.py")
    (home / "make.py").write_text(DEEP)
    text = SHORT.replace("kuhn", "gops") + f'sandbox = "{tier}"\n'
    spec = write_tournament(tmp_path, text, "random", "mine", second="random")
    (line,) = run_tournament(spec).lines[:1]
    assert line.startswith("mine is left out: ")
    assert "File name too long" in line
    assert sorted(state for state in list_states(spec).values()) == ["active", "active", "unfit"]


def test_a_folder_too_deep_for_a_path_is_the_bots_fault(
    versions: BotVersions, tmp_path: Path
) -> None:
    """A folder that is entered is refused as a bot, and the machine is not blamed."""
    here = os.open(write_bot(tmp_path, "mine", ECHO), os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("x" * NAME_LENGTH, dir_fd=here)
        below = os.open("x" * NAME_LENGTH, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(BotError, match=f"mine cannot be read: '{'x' * NAME_LENGTH}': File name"):
        versions.read_entry("mine")
