"""What goes wrong again and again is shown once, and counted."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.rules import UserError
from arena_web.app import GuardedApplication, build_application
from arena_web.cli import web
from arena_web.http import log_throttle
from arena_web.http.log_throttle import MAX_MESSAGES, QUIET_SECONDS, LogThrottle
from arena_web.play.store.table_store import TableStore
from arena_web.play.tables import PlayTables
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import Clock
from tests.support.web.raw_http import fetch_status


def test_a_message_that_comes_again_is_counted() -> None:
    """Once a minute it is said how often, until a minute has passed without it."""
    shown: list[str] = []
    clock = Clock(0.0)
    counting = LogThrottle(shown.append, clock)
    for text in ("the disk is full", "the disk is full", "other", "the disk is full"):
        counting.say(text)
    counting.flush()
    assert shown == ["the disk is full", "other"]
    clock.now += QUIET_SECONDS
    counting.flush()
    assert shown[2:] == ["the disk is full (2 times more in the last minute)"]
    clock.now += QUIET_SECONDS
    counting.flush()
    counting.say("the disk is full")
    assert shown[3:] == ["the disk is full"]


def test_threads_that_say_the_same_at_once_say_it_once() -> None:
    """Each repetition is counted, too, while another thread takes the counts."""
    shown: list[str] = []
    throttle = LogThrottle(shown.append)

    def repeat(_: int) -> None:
        for _ in range(1000):
            throttle.say("the disk is full")
            throttle.flush()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(repeat, range(4)))
    assert shown == ["the disk is full"]
    assert throttle._messages["the disk is full"].count == 3999


def test_messages_are_not_remembered_without_end() -> None:
    """Whoever can make each message another one fills no memory."""
    counting = LogThrottle(lambda _: None)
    for number in range(10 * MAX_MESSAGES):
        counting.say(str(number))
        assert len(counting._messages) <= MAX_MESSAGES


def _raised(text: str) -> Exception:
    try:
        return Exception(int(text))
    except ValueError as problem:
        return problem


def test_what_libraries_log_is_counted_by_where_it_was_raised(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What the exception says may be another thing each time."""
    counting = LogThrottle()
    logger = logging.getLogger(log_throttle.LOGGERS[0])
    with counting.attach():
        for text in ("one", "two"):
            logger.error("it failed", exc_info=_raised(text))
        logger.error("it failed", exc_info=KeyError("elsewhere"))
        logger.warning("something else")
        logger.warning("something else")
    logger.warning("something else")
    texts = [record.getMessage() for record in caplog.records]
    assert texts == ["it failed", "it failed", "something else", "something else"]


def test_a_fault_that_visitors_meet_is_one_of_the_log(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Of ours, or of what is served: the host reads of each once, whoever comes again and again."""

    def broken(_: Request) -> Response:
        raise ValueError("planted")

    def away(_: Request) -> Response:
        raise UserError("the database is away")

    app = build_application([Route("/broken", broken), Route("/away", away)], limits={})
    with run_in_thread(app) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        for _ in range(3):
            assert fetch_status(port, b"/broken").endswith(b"500 Internal Server Error")
            assert fetch_status(port, b"/away").endswith(b"503 Service Unavailable")
    said = capfd.readouterr().err + caplog.text
    assert (said.count("ValueError: planted"), said.count("the database is away")) == (1, 1)


def test_the_store_of_a_server_speaks_through_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """So what it repeats is counted by the server, which flushes its log."""
    served: list[GuardedApplication] = []
    stores: list[TableStore] = []

    def create_tables(_: object, store: TableStore) -> PlayTables:
        stores.append(store)
        return PlayTables(store=store)

    monkeypatch.setattr("arena_web.play.tables.PlayTables", create_tables)
    monkeypatch.setattr("arena_web.server.serve", lambda app, *_, **__: served.append(app))
    result = CliRunner().invoke(web, ["--keep-games", "0"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert served[0].throttle is stores[0].log
