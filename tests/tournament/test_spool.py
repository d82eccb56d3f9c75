"""Matches that are watched are written as they are played; others are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.tournament import spool
from arena.tournament.spool import Follower, Spool, is_wanted, running, spooling, want


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock of a worker that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(spool, "monotonic", lambda: now[0])
    return now


def test_nobody_watches(tmp_path: Path, clock: list[float]) -> None:
    """There is no file, and the text is kept."""
    one = Spool(tmp_path, "3.1")
    for line in ("a\n", "b\n"):
        clock[0] += 2
        one.write(line)
    assert [*tmp_path.iterdir()] == []
    one.close()
    assert one.text == "a\nb\n"


def test_who_comes_late_reads_all(tmp_path: Path, clock: list[float]) -> None:
    """From the first line to the last, although the file is taken away at the end."""
    one = Spool(tmp_path, "3.1")
    one.write("a\n")
    want(tmp_path)
    one.write("b\n")
    assert running(tmp_path) == []  # it looks once a second
    clock[0] += 1
    one.write("c\n")
    assert running(tmp_path) == ["3.1"]
    assert (tmp_path / "3.1.jsonl").stat().st_mode & 0o777 == 0o600
    with Follower(tmp_path, "3.1") as follower:
        assert follower.lines() == ["a", "b", "c"]
        one.write("half")
        assert follower.lines() == []
        one.write(" done\nlast\n")
        assert not follower.gone()
        one.close()
        assert follower.gone()
        assert follower.lines() == ["half done", "last"]
    assert running(tmp_path) == []


def test_a_wish_grows_old(tmp_path: Path) -> None:
    """Who has not looked for a while is gone."""
    assert not is_wanted(tmp_path)
    want(tmp_path)
    assert is_wanted(tmp_path)
    old = (tmp_path / "wanted").stat().st_mtime - spool.FRESH
    os.utime(tmp_path / "wanted", (old, old))
    assert not is_wanted(tmp_path)
    want(tmp_path / "nowhere")  # no tournament runs: nothing happens


def test_a_folder_that_cannot_be_written_stops_no_match(tmp_path: Path, clock: list[float]) -> None:
    """The match goes on, unwatched."""
    live = tmp_path / "live"
    live.mkdir()
    want(live)
    one = Spool(live, "3.1")
    (live / "3.1.jsonl").mkdir()
    clock[0] += 1
    one.write("a\n")
    one.write("b\n")
    one.close()
    assert one.text == "a\nb\n"


def test_a_run_leaves_no_spool(tmp_path: Path) -> None:
    """What a run that was killed has left is cleared by the next, and that clears its own."""
    live = tmp_path / "hill.arena" / "live"
    live.mkdir(parents=True)
    (live / "0.0.jsonl").touch()
    with spooling(live):
        assert [*live.iterdir()] == []
        assert live.stat().st_mode & 0o777 == 0o700
        (live / "1.0.jsonl").touch()
    assert not live.parent.exists()
    (live.parent / "bots").mkdir(parents=True)
    with spooling(live):
        pass
    assert live.parent.exists()
