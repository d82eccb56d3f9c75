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
    give_first_answer,
    open_table,
    play_on,
    wait_for_question,
)

MARK_THE_PAGE = "document.body.dataset.old = 'yes'"
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


def end(serving: subprocess.Popen[str], page: Page, how: signal.Signals) -> None:
    """End a server; the page says so, and nothing on it can be pressed."""
    page.evaluate(MARK_THE_PAGE)
    serving.send_signal(how)
    serving.wait(TIMEOUT)
    said = "Connection lost" if how is signal.SIGKILL else "The server has stopped."
    expect(page.locator("#connection")).to_contain_text(said)
    expect(page.locator("#hand button, #hint").first).to_be_disabled()


def test_a_game_goes_on_after_a_restart(pages: Pages, port: int) -> None:
    """Whether the server was killed or interrupted: hand, log and question are as they were."""
    pages.allowed.add("net::ERR_")
    with serve(port) as serving:
        page = pages.open(f"http://localhost:{port}/play?game=gops")
        page.get_by_role("button", name="Play against easy").first.click()
        hand, log = page.locator("#hand button"), page.locator("#log li")
        play_on(page, 4)
        assert wait_for_question(page)
        lines = log.all_inner_texts()
        end(serving, page, signal.SIGKILL)
    with serve(port) as serving:
        page.wait_for_function(LOADED_AGAIN)
        assert wait_for_question(page)
        expect(hand).to_have_count(9)
        assert log.all_inner_texts() == lines
        play_on(page, 4)
        assert wait_for_question(page)
        end(serving, page, signal.SIGINT)
        assert serving.returncode == 0
    with serve(port) as serving:
        page.wait_for_function(LOADED_AGAIN)
        assert wait_for_question(page)
        expect(hand).to_have_count(5)
        assert play_on(page) == 5
        check_end(page)
        replay = page.get_by_role("link", name="Watch the replay").get_attribute("href")
        assert replay
        serving.kill()
    with serve(port):
        page.goto(page.url)  # which is the replay now
        page.locator(".board .zone").first.wait_for()
        assert page.url.endswith(replay.removeprefix(".."))
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the transcript").click()
        text = Path(download.value.path()).read_text()
        verify(get_plugins().find_game("gops"), parse_text(text))


def test_friends_and_spectators_find_their_table_again(pages: Pages, port: int) -> None:
    """Each has the own hand, and who watches sees none."""
    pages.allowed.add("net::ERR_")
    with serve(port) as serving:
        host = pages.blank()
        open_table(host, f"http://localhost:{port}/", "bs", name_0="ann", option_max_turns="8")
        watched = host.get_by_role("link", name="Spectator page").get_attribute("href")
        assert watched
        watcher = pages.open(f"http://localhost:{port}/{watched.removeprefix('../')}")
        for _ in range(6):
            assert wait_for_question(host)
            give_first_answer(host)
        assert wait_for_question(host)
        seen = watcher.locator("#log li").all_inner_texts()
        watcher.evaluate(MARK_THE_PAGE)
        end(serving, host, signal.SIGKILL)
    with serve(port):
        for page in (host, watcher):
            page.wait_for_function(LOADED_AGAIN)
        assert wait_for_question(host)
        expect(watcher.locator("#log li").nth(len(seen) - 1)).to_be_attached()
        assert watcher.locator("#log li").all_inner_texts() == seen
        expect(watcher.locator(".board .hand .card:not(.back)")).to_have_count(0)
        play_on(host)
        check_end(host)
        check_end(watcher)
