"""`arena examples`: the folder that the book's commands name, wherever the arena is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.scaffold import template_files
from tests.support.checkout import ROOT
from tests.support.command import Cli
from tests.support.requirements import require


def list_tracked() -> set[str]:
    """List the files of the checkout's examples, without what was built there."""
    require("git")
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "examples"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {*done.stdout.splitlines()}


def test_all_examples_are_copied_and_nothing_that_was_built(
    quick: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the package, where a wheel has them; also where somebody has played with them."""
    package = tmp_path / "package"
    monkeypatch.setattr(template_files, "PACKAGE", ROOT / "arena")
    template_files.copy_examples(package / "examples")
    (package / "examples/bots/bs-c/bot").write_bytes(b"\x7fELF")
    (package / "examples/tournaments/bs-koth.db-wal").touch()
    monkeypatch.setattr(template_files, "PACKAGE", package)
    done = quick("examples")
    assert done.stdout.splitlines() == [
        f"examples/{name}" for name in ("bots", "hill", "plugins", "tournaments")
    ]
    written = {
        str(path.relative_to(tmp_path))
        for path in (tmp_path / "examples").rglob("*")
        if path.is_file()
    }
    assert written == list_tracked()


def test_nothing_is_overwritten(quick: Cli, tmp_path: Path) -> None:
    """A folder with files in it is left alone, in one line; so is a place that is no folder."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    done = quick("examples", "mine")
    assert done.returncode == 2
    assert done.stderr == "arena: mine is not empty, and was not changed\n"
    done = quick("examples", "mine/file/deep")
    assert done.stderr == "arena: mine/file/deep cannot be written: Not a directory\n"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]
