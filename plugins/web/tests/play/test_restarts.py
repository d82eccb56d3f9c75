"""Tables outlive their server: a real one, ended in the middle of a game, and a browser."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.plugins import get_plugins
from arena.records import parse_text, verify
from arena_web.server import open_listener
from tests.support.programs import TIMEOUT
from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    check_end,
    open_table,
    play_on,
    wait_for_question,
)

MARK_THE_PAGE = "document.body.dataset.old = 'yes'"
POLL_MILLISECONDS = 200  # each frame would draw the page
LOADED_AGAIN = "() => !document.body?.dataset.old"


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return a free port, for servers that keep their tables in a folder of this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with open_listener(0) as listener:
        found: int = listener.getsockname()[1]
    return found


@contextmanager
def serve(port: int) -> Iterator[subprocess.Popen[str]]:
    """Run `arena web` in a process of its own."""
    line = [sys.executable, "-m", "arena", "web", "--port", str(port)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout
            assert serving.stdout.readline().startswith("arena web: ")
            yield serving
        finally:
            serving.kill()


def end(serving: subprocess.Popen[str], how: signal.Signals, *windows: Page) -> None:
    """End a server; the pages say so, and nothing on them can be pressed."""
    for page in windows:
        page.evaluate(MARK_THE_PAGE)
    serving.send_signal(how)
    serving.wait(TIMEOUT)
    said = "Connection lost" if how is signal.SIGKILL else "The server has stopped."
    for page in windows:
        expect(page.locator("#connection")).to_contain_text(said)
        expect(page.locator("#hand button:enabled, #hint:enabled")).to_have_count(0)


def read_table(host: Page, watcher: Page) -> list[list[str]]:
    """Return the question, the hand and the logs, once the host is asked; who watches sees no hand."""
    assert wait_for_question(host)
    expect(watcher.locator(".board .hand .card:not(.back)")).to_have_count(0)
    shown = (host, "#asked"), (host, "#hand .card"), (host, "#log li"), (watcher, "#log li")
    return [page.locator(part).all_inner_texts() for page, part in shown]


def find_table_again(host: Page, watcher: Page, before: list[list[str]]) -> None:
    """Wait until both have loaded their pages again; what they showed is there."""
    for page in (host, watcher):
        page.wait_for_function(LOADED_AGAIN, polling=POLL_MILLISECONDS)
    *own, watched = before
    expect(watcher.locator("#log li").nth(len(watched) - 1)).to_be_attached()
    *again, watched_again = read_table(host, watcher)
    assert again == own
    assert watched_again[: len(watched)] == watched


def test_a_game_goes_on_after_a_restart(pages: Pages, port: int) -> None:
    """All who play and watch see again what they saw; who interrupts a server is told on the pages."""
    pages.allowed.add("net::ERR_")
    address, host = f"http://localhost:{port}/", pages.blank()
    with serve(port) as serving:
        open_table(host, address, "bs", name_0="ann", option_max_turns="8")
        watched = host.get_by_text("Spectator page").get_attribute("href")
        assert watched
        watcher = pages.open(address + watched.removeprefix("../"))
        play_on(host, 3)
        shown = read_table(host, watcher)
        end(serving, signal.SIGKILL, host, watcher)
    with serve(port) as serving:
        find_table_again(host, watcher, shown)
        play_on(host)
        check_end(host)
        check_end(watcher)
        host.get_by_role("link", name="Watch the replay").click()
        with host.expect_download() as download:
            host.get_by_role("link", name="Download the transcript").click()
        text = Path(download.value.path()).read_text()
        verify(get_plugins().find_game("bs"), parse_text(text))
        host.go_back()
        host.get_by_role("button", name="Play again").click()
        assert wait_for_question(host)
        end(serving, signal.SIGINT, host)
        assert serving.returncode == 0


def test_a_waiting_room_stands_after_a_restart(pages: Pages, port: int) -> None:
    """Whoever waits there is told again who is here, and nothing while nobody knows."""
    pages.allowed.add("net::ERR_")
    host = pages.blank()
    present = host.locator("#present")
    with serve(port) as serving:
        open_table(host, f"http://localhost:{port}/", "gops", "Invite friends", name_0="ann")
        expect(present).to_contain_text("or when you start it.")
        host.evaluate(MARK_THE_PAGE)
        serving.send_signal(signal.SIGINT)
        expect(present).to_be_empty()
        serving.wait(TIMEOUT)
    with serve(port):
        host.wait_for_function(LOADED_AGAIN, polling=POLL_MILLISECONDS)
        expect(present).to_contain_text("or when you start it.")
