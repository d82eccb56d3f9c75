"""Matches that are watched are written as they are played; others are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attrs import evolve

from arena.host import Limits
from arena.plugins import MatchSpec, get_plugins
from arena.records import InMemoryFile
from arena.sandbox import LANDLOCK, Sandbox
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.workers import live as live_module
from arena.tournament.workers import match_play
from arena.tournament.workers.live import (
    LiveFolder,
    LiveTranscript,
    LiveTranscriptReader,
    LiveVisibility,
)
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)
from arena.tournament.workers.match_play import play_batch
from tests.support.programs import TIMEOUT


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of a worker, which stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(live_module, "REQUEST_SECONDS", TIMEOUT)
    monkeypatch.setattr(live_module, "monotonic", lambda: now[0])
    return now


def open_live_transcript(live: Path) -> tuple[LiveTranscript, InMemoryFile]:
    game, record = get_plugins().find_game("gops"), InMemoryFile()
    spec = MatchSpec("3.1-x", game, game.read_variant({}), "seed", ("a", "b"), ("a", "b"))
    return LiveTranscript(spec, record, LiveFolder(live), "3.1"), record


def test_nobody_watches(tmp_path: Path, clock: list[float]) -> None:
    """Without viewers there is no file, and the text is kept."""
    live_transcript, record = open_live_transcript(tmp_path)
    for _ in range(2):
        clock[0] += 2
        live_transcript.on_questions({})
    assert [*tmp_path.iterdir()] == []
    record.close()
    live_transcript.close()
    assert record.text.startswith('{"format":1')


def test_who_comes_late_reads_all(tmp_path: Path, clock: list[float]) -> None:
    """A late reader gets all lines from the first to the last, although the file is removed at the end."""
    live_transcript, record = open_live_transcript(tmp_path)
    record.write("a\n")
    LiveFolder(tmp_path).request_transcripts()
    live_transcript.on_questions({})
    assert LiveFolder(tmp_path).list_matches() == []  # it looks once a second
    clock[0] += 1
    record.write("b\n")
    live_transcript.on_questions({})
    assert LiveFolder(tmp_path).list_matches() == ["3.1"]
    assert (tmp_path / "3.1.jsonl").stat().st_mode & 0o777 == 0o600
    with LiveTranscriptReader(LiveFolder(tmp_path), "3.1") as follower:
        assert follower.read_lines()[1:] == ["a", "b"]
        record.write("c\n")
        assert follower.read_lines() == []
        live_transcript.on_questions({})
        assert follower.read_lines() == ["c"]
        record.write("last\n")
        record.close()
        assert not follower.is_complete()
        live_transcript.close()
        assert follower.is_complete()
        assert follower.read_lines() == ["last"]
    assert LiveFolder(tmp_path).list_matches() == []


def test_a_line_that_is_half_there_is_read_when_it_is_whole(tmp_path: Path) -> None:
    """A reader does not get half of a line that a worker is writing."""
    path = tmp_path / "3.1.jsonl"
    path.write_text('{"deaf":false}\na\nhalf')
    with LiveTranscriptReader(LiveFolder(tmp_path), "3.1") as follower:
        assert follower.read_lines() == ["a"]
        with path.open("a") as file:
            file.write(" done\n")
        assert follower.read_lines() == ["half done"]


BUNDLED = ReadyEntry(Entry("a", "1", "match"), None)
PROGRAM = ReadyEntry(Entry("b", "1", "program:match"), None)
CONTAINED = evolve(PROGRAM, sandbox=Sandbox(LANDLOCK))


@pytest.mark.parametrize(
    ("seats", "deaf"),
    [
        ((BUNDLED, BUNDLED), True),
        ((BUNDLED, PROGRAM), False),
        ((CONTAINED, BUNDLED), True),
        ((CONTAINED, PROGRAM), False),
    ],
)
def test_a_match_that_breaks_off_leaves_no_spool(
    seats: tuple[ReadyEntry, ...], deaf: bool, tmp_path: Path,
    clock: list[float], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The file goes however a match ends, and says until then whether no player can read it."""
    seen: list[tuple[str, LiveVisibility]] = []

    def interrupted(
        _spec: object, _seated: object, _config: object, watching: list[LiveTranscript]
    ) -> None:
        clock[0] += 1
        watching[-1].on_questions({})
        for key in LiveFolder(tmp_path).list_matches():
            with LiveTranscriptReader(LiveFolder(tmp_path), key) as follower:
                (header,) = follower.read_lines()
                assert '"format":1' in header
                assert follower.header
                seen.append((key, follower.header))
        raise KeyboardInterrupt

    LiveFolder(tmp_path).request_transcripts()
    monkeypatch.setattr(match_play, "host", interrupted)
    settings = BatchSettings(
        "gops",
        {},
        "secret",
        Limits(),
        KeptTranscripts.ALL,
        tmp_path,
        tmp_path,
        tmp_path,
        tmp_path,
        shows_hands=True,
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        play_batch(MatchBatch((PlannedMatch(3, 1, seats),), settings))
    assert seen == [("3.1", LiveVisibility(deaf, whole=deaf))]
    assert LiveFolder(tmp_path).list_matches() == []


@pytest.mark.usefixtures("clock")
def test_a_wish_grows_old(tmp_path: Path) -> None:
    """A viewer that has not asked for a while no longer counts."""
    assert not LiveFolder(tmp_path).has_viewers()
    LiveFolder(tmp_path).request_transcripts()
    assert LiveFolder(tmp_path).has_viewers()
    old = (tmp_path / "wanted").stat().st_mtime - 2 * live_module.REQUEST_SECONDS
    os.utime(tmp_path / "wanted", (old, old))
    assert not LiveFolder(tmp_path).has_viewers()
    LiveFolder(tmp_path / "nowhere").request_transcripts()  # no tournament runs: nothing happens


def test_a_folder_that_cannot_be_written_stops_no_match(tmp_path: Path, clock: list[float]) -> None:
    """A match goes on though its live transcript cannot be written."""
    live = tmp_path / "live"
    live.mkdir()
    LiveFolder(live).request_transcripts()
    live_transcript, record = open_live_transcript(live)
    (live / "3.1.jsonl").mkdir()
    for _ in range(2):
        clock[0] += 1
        live_transcript.on_questions({})
    record.close()
    live_transcript.close()
    assert record.text.startswith('{"format":1')


def test_a_run_leaves_no_spool(tmp_path: Path) -> None:
    """A run clears the files that a killed one has left, and at its end its own."""
    live = tmp_path / "hill.arena" / "live"
    live.mkdir(parents=True)
    (live / "0.0.jsonl").touch()
    with LiveFolder(live).open():
        assert [*live.iterdir()] == []
        assert live.stat().st_mode & 0o777 == 0o700
        (live / "1.0.jsonl").touch()
    assert not live.parent.exists()
    (live.parent / "bots").mkdir(parents=True)
    with LiveFolder(live).open():
        pass
    assert live.parent.exists()
