"""Tables whose hands may be seen while they are played: the host says so, and all are deaf."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from attrs import evolve

from arena import Bot
from arena.host import play_series
from arena.records import Spectator
from arena.rules import StorageError
from arena.tournament.store import Store
from arena.tournament.workers.live import LIVE_FOLDER, LiveFolder
from arena_web.http.refusals import BusyError
from arena_web.http.sse import EventBroadcast, FollowerLimit
from arena_web.live.tables import LiveTable, LiveTableFeeder, LiveTables
from tests.support.tournaments.served import (
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
)
from tests.support.web.event_streams import collect_events, run

pytestmark = pytest.mark.slow

BS = """
game = "bs"
table = 3
matches = 3
workers = 1
check = false
"""
KEY = "0.2"


async def hide_nobody() -> dict[str, str]:
    """Return no aliases."""
    return {}


def at_table(file: Path, note: dict[str, bool]) -> tuple[Path, LiveTable]:
    """Write a live transcript as of a running match; return its folder, and its table."""
    live = file.parent / f"{file.stem}.arena" / LIVE_FOLDER
    live.mkdir(parents=True, exist_ok=True)
    LiveFolder(live).request_transcripts()
    with Store.open(file.with_suffix(".db"), write=False, aliased=True) as store:
        text = store.transcripts.load(0, 2)
        assert text
        (live / f"{KEY}.jsonl").write_text(f"{json.dumps(note)}\n{text.decode()}")
        (table,) = LiveTables(LiveFolder(live), FollowerLimit(), hide_nobody).list_tables(store)
    return live, table


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament whose deals are played in rotations."""
    return play_tournament(tmp_path_factory.mktemp("bs"), "honest", "caller", "liar", text=BS)


def test_what_may_be_seen(file: Path) -> None:
    """Of a deal in rotations: nothing, what is announced, all; not all where a seed was given."""

    def seen(note: dict[str, bool]) -> tuple[bool, bool]:
        _, table = at_table(file, note)
        return table.watchable, table.shows_hands

    all_of_it = {"deaf": True, "whole": True}
    assert seen({}) == (False, False)
    assert seen({"deaf": True}) == (True, False)
    assert seen(all_of_it) == (True, True)
    edit_database(
        file,
        """UPDATE facts SET value = replace(value, '"seed":null', '"seed":"1"')""",
        "UPDATE facts SET value = 'false' WHERE name = 'over'",
    )
    assert seen(all_of_it) == (True, False)


def test_a_table_that_may_not_be_watched_says_when(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its page is found without a look at other tables; it is refused for a reason of its own."""
    live, _ = at_table(file, {})
    monkeypatch.delattr(LiveTables, "list_tables")
    with open_test_client(build_server_app(file)) as client:
        page = client.get(f"/t/{file.stem}/live/{KEY}")
        events = client.get(f"/t/{file.stem}/live/{KEY}/events")
    (live / f"{KEY}.jsonl").unlink()
    assert page.status_code == 403
    assert "This table can be watched once every rotation of its deal is over." in page.text
    assert events.status_code == 204


@pytest.mark.parametrize("sight", [Spectator.PUBLIC, Spectator.ALL])
def test_hands_are_in_the_stream_where_all_is_shown(sight: Spectator, file: Path) -> None:
    """And nowhere else; a name that is hidden is hidden there, too."""
    live, table = at_table(file, {"deaf": True, "whole": sight is Spectator.ALL})
    names = ("bot_1", *table.names[1:])
    shown = evolve(table, names=names, labels=names, shows_hands=sight is Spectator.ALL)
    found = ""

    async def test() -> None:
        nonlocal found
        feed = EventBroadcast()
        reading = asyncio.create_task(
            LiveTableFeeder(LiveFolder(live), shown, feed, hide_nobody).run()
        )
        stream = feed.follow()
        for _ in range(2):  # it begins, and there is something
            found += (await anext(stream)).decode()
        (live / f"{KEY}.jsonl").unlink()
        found += json.dumps(await collect_events(stream))
        await reading

    run(test)
    assert "bot_1" in found
    assert table.names[0] not in found
    hands = re.findall(r'"kind": ?"hand"[^}]*"cards"', found)
    assert bool(hands) == (sight is Spectator.ALL)


def test_a_table_is_gone_once_a_name_at_it_is_hidden(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows it then is sent away, and comes back to a feed with the alias."""
    monkeypatch.setattr("arena_web.live.tables.LOOK_SECONDS", 0)
    live, table = at_table(file, {"deaf": True})

    async def hide_one() -> dict[str, str]:
        return {table.names[0]: "bot_1"}

    async def test() -> None:
        feed = EventBroadcast()
        with feed.count_follower():
            reading = asyncio.create_task(
                LiveTableFeeder(LiveFolder(live), table, feed, hide_one).run()
            )
            assert (await collect_events(feed.follow()))[-1][1] == "gone"
            await reading

    run(test)


def test_a_table_goes_on_where_the_store_cannot_be_asked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is shown until it is known which names are hidden, and then all of it."""
    monkeypatch.setattr("arena_web.live.tables.LOOK_SECONDS", 0)
    monkeypatch.setattr("arena_web.live.tables.TABLE_POLL_SECONDS", 0)
    live, table = at_table(file, {"deaf": True})
    problems = [StorageError("away"), BusyError()]
    frames: list[int] = []

    async def test() -> None:
        feed = EventBroadcast()

        async def fail_first() -> dict[str, str]:
            if problems:
                frames.append(len(feed.frames))
                raise problems.pop()
            (live / f"{KEY}.jsonl").unlink(missing_ok=True)
            return {}

        with feed.count_follower():
            reading = asyncio.create_task(
                LiveTableFeeder(LiveFolder(live), table, feed, fail_first).run()
            )
            events = await collect_events(feed.follow())
            await reading
        assert [events[0][1], events[-1][1]] == ["match", "end"]
        assert events[-1][2]["rows"]

    run(test)
    assert frames == [0, 0]


class Quitter(Bot):
    """Fails at its first question."""

    def answer(self, question: object) -> object:
        """Raise an exception."""
        raise RuntimeError


def test_whoever_failed_has_no_score_at_the_end(tmp_path: Path) -> None:
    """It comes last, with what it did wrong, and the others are not compared with it."""
    (match,) = play_series("gops", ["random", Quitter], games=1, record=True)
    live_transcript = tmp_path / f"{KEY}.jsonl"
    live_transcript.write_text(f"{{}}\n{match.transcript_text}")
    ended = []

    async def test() -> None:
        feed = EventBroadcast()
        table = LiveTable(KEY, match.names, match.names, watchable=True, shows_hands=False)
        reading = asyncio.create_task(
            LiveTableFeeder(LiveFolder(tmp_path), table, feed, hide_nobody).run()
        )
        stream = feed.follow()
        for _ in range(2):  # it begins, and there is something
            await anext(stream)
        live_transcript.unlink()
        ended.append((await collect_events(stream))[-1][2])
        await reading

    run(test)
    (end,) = ended
    assert end["said"] == "random beats Quitter."
    assert [(row["score"], row["verdict"]) for row in end["rows"][1:]] == [(None, "crashed")]
