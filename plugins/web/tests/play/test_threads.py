"""Where the machine has no thread left, people are told, and can try again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena_web.app import build_application
from arena_web.http import worker_threads
from arena_web.http.worker_threads import NoThreadError
from arena_web.play.bot_preparations import start_bot
from arena_web.play.lobby import WaitingRoom
from arena_web.play.match.table import PlayTable
from arena_web.play.offers import load_pools
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.preparations import Preparations
from tests.support.web.event_streams import run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    find_chair,
    play_seat,
    seat_all,
    select_events,
)


class NoThread(Thread):
    """A thread that the system does not start."""

    def start(self) -> None:
        """Fail as where there are too many."""
        raise RuntimeError("can't start new thread")


@contextmanager
def without_threads() -> Iterator[None]:
    """Have no thread started within this block."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(worker_threads, "Thread", NoThread)
        yield


def test_a_match_begins_with_the_next_attempt() -> None:
    """Nobody waits for a match that has not begun."""

    async def test() -> None:
        tables = PlayTables()
        place = tables.open(build_setup("kuhn", "random"))
        (secret,) = place.secrets
        with without_threads(), pytest.raises(NoThreadError):
            tables.arrive(place, secret)
        tables.arrive(place, secret)
        table, chair = await find_chair(tables, secret)
        assert select_events(await play_seat(table, chair, choose_first), "end")
        tables.close()

    run(test)


def test_whoever_waits_for_the_others_waits_as_before() -> None:
    """Nothing is dealt, neither here nor in what is kept."""

    async def test() -> None:
        tables = PlayTables()
        room = tables.open(build_setup("kuhn", persons=2))
        first, second = room.secrets
        tables.arrive(room, first)
        with without_threads(), pytest.raises(NoThreadError):
            tables.arrive(room, second)
        assert isinstance(room, WaitingRoom)
        assert await tables.find_by_secret(first) is room
        stored = tables.store.tables.find(room.key)
        assert stored
        assert stored.is_waiting
        tables.arrive(room, second)
        assert isinstance(await tables.find_by_secret(first), PlayTable)
        tables.close()
        tables.join()

    run(test)


def test_a_match_that_cannot_go_on_yet_is_kept() -> None:
    """The next who comes finds it in the store, as it was."""

    async def test() -> None:
        before = PlayTables()
        table = seat_all(before, build_setup("gops", "match", cards=6))
        (chair,) = table.chairs.values()
        asked = 0

        def answer_twice(ask: dict[str, Any]) -> Any:
            nonlocal asked
            asked += 1
            if asked > 2:
                raise InterruptedError
            return choose_first(ask)

        with pytest.raises(InterruptedError):
            await play_seat(table, chair, answer_twice)
        before.close()
        before.join()
        tables = PlayTables(store=before.store)
        with without_threads(), pytest.raises(NoThreadError):
            await tables.find_by_secret(chair.secret)
        again, same = await find_chair(tables, chair.secret)
        assert select_events(await play_seat(again, same, choose_first), "end")
        tables.close()

    run(test)


def test_a_page_says_that_the_server_has_too_much_to_do() -> None:
    """A browser comes again by itself then."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={}, on_shutdown=[tables.close])
    form = {"game": "kuhn", "bot": "random"}
    with TestClient(app, base_url="http://localhost") as client:
        seat = str(client.post("/play", data=form).url)
        with without_threads():
            answer = client.get(f"{seat}/events")
    assert (answer.status_code, "no thread left" in answer.text) == (503, True)


def test_a_bot_can_be_prepared_with_the_next_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What could not begin is not under way."""
    monkeypatch.setattr("arena_web.play.bot_preparations.can_prepare", lambda *_: True)
    preparations, pool = Preparations(), load_pools(())["kuhn"]
    with without_threads(), pytest.raises(NoThreadError):
        start_bot(preparations, pool, "random")
    assert preparations.latest is None
    start_bot(preparations, pool, "random")
    preparations.join()
