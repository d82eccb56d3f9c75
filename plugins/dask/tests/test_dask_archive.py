"""Folders as bytes, and back."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from arena.tournament.bots.hashes import hash_folder
from arena_dask.workers import pack, unpack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a bot's folder with all that may be in one."""
    folder = tmp_path / "bot"
    (folder / "data" / "empty").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "bot"\ncommand = "./bot"\n')
    (folder / "bot").write_bytes(b"\x7fELF\x00")
    (folder / "bot").chmod(0o755)
    (folder / "data" / "latest").symlink_to("../bot.toml")
    return folder


def test_there_and_back(folder: Path, tmp_path: Path) -> None:
    """Contents, what can be run, links and empty folders arrive as they were."""
    unpack(pack(folder), tmp_path / "there" / "version")
    there = tmp_path / "there" / "version"
    assert hash_folder(there) == hash_folder(folder)
    assert stat.S_IMODE((there / "bot").stat().st_mode) == 0o755
    assert (there / "data" / "latest").readlink() == Path("../bot.toml")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["version"]
    assert (there / "data" / "empty").is_dir()


def test_same_bytes(folder: Path) -> None:
    """The same files are the same bytes, whenever they were written and whatever Python left."""
    before = pack(folder)
    os.utime(folder / "bot", (1, 1))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").write_bytes(b"")
    assert pack(folder) == before
