"""Pages that follow a tournament are told of all that they can show, however late that is ready."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arena.rules import StorageError
from arena.tournament import Tournament
from arena.tournament.store import Facts, Store
from arena_web.http import refreshed_values, sse
from arena_web.http.refusals import BusyError
from arena_web.http.sse import FollowerLimit
from arena_web.live import changes
from arena_web.live.changes import TournamentStream
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import ViewParts
from tests.support.tournaments.served import play_tournament
from tests.support.web.event_streams import run


@pytest.fixture(autouse=True)
def _nothing_takes_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages wait for nothing, and looks at the store come one after the other."""
    monkeypatch.setattr(refreshed_values, "MAX_WAIT_SECONDS", 0)
    monkeypatch.setattr(refreshed_values, "COMPUTE_RATIO", 0)
    monkeypatch.setattr(changes, "POLL_SECONDS", 0)
    monkeypatch.setattr(changes, "MIN_MESSAGE_SECONDS", 0)
    monkeypatch.setattr(sse, "KEEPALIVE_SECONDS", 0)


async def read_change(chunks: AsyncIterator[bytes]) -> None:
    """Wait until a stream says that there is something new."""
    while b"event: changed" not in await anext(chunks):
        pass


@pytest.mark.parametrize("part", ["snapshot", "rating_history", "news"])
def test_a_part_that_takes_long_is_announced_when_it_is_ready(part: str, tmp_path: Path) -> None:
    """Though nothing else happens in the tournament, and nobody waited for it to the end."""
    spec = Tournament.load(play_tournament(tmp_path, "random", "match")).spec

    async def test() -> None:
        source = TournamentSource.of(spec, "cup")
        await source.load_view(ViewParts(history=True, news=True))
        value, begun, ready = getattr(source, part), asyncio.Event(), asyncio.Event()
        make, older = value.make, value.value

        async def make_slowly() -> Any:
            begun.set()
            await ready.wait()
            return await make()

        stream = TournamentStream(source, FollowerLimit())
        with stream._count_follower():
            chunks = stream._follow()
            await read_change(chunks)  # of what the page may not have seen
            value.make = make_slowly
            with Store.open(spec.database) as store:
                store.claim()
                store.facts.set(Facts.is_over, not store.facts.is_over)
            await begun.wait()
            assert value.value is older
            ready.set()
            while value.value is older:
                await read_change(chunks)
            stream.close()

    run(test)


@pytest.mark.parametrize("problem", [BusyError(), StorageError("away"), RuntimeError()])
def test_who_follows_is_told_what_comes_after_a_failure(problem: Exception, tmp_path: Path) -> None:
    """Where the threads are busy, the database is away, or something else ends the watching."""
    spec = Tournament.load(play_tournament(tmp_path, "random", "match")).spec

    async def test() -> None:
        source = TournamentSource.of(spec, "cup")
        make, problems = source.snapshot.make, [problem]

        async def fail_first() -> Any:
            if problems:
                raise problems.pop()
            return await make()

        source.snapshot.make = fail_first
        stream = TournamentStream(source, FollowerLimit())
        with stream._count_follower():
            await read_change(stream._follow())
            stream.close()
        assert not problems

    run(test)
