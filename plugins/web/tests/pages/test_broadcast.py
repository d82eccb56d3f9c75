"""The live page: it follows the best table, or replays the latest matches of the leaders."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
    serve_sources,
)
from tests.support.web.browser import Pages, check_page_in_all_themes

POLL_MILLISECONDS = 200  # each frame would draw the page
pytestmark = pytest.mark.slow

NEXT = "/t/tournament/live/next"
KEPT_RESTS = """
window.rests = new Map();
window.setTimeout = ((wait) => (act, delay, ...rest) => {
  if (delay !== 4000) return wait(act, delay, ...rest);
  rests.set(-rests.size - 1, act);
  return -rests.size;
})(window.setTimeout);
window.clearTimeout = ((clear) => (timer) => rests.delete(timer) || clear(timer))(window.clearTimeout);
"""
"""Keeps what is done after the rest between two matches, until a test does it."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("live"), *FOUR)


def test_a_page_is_never_empty_and_goes_on(file: Path, pages: Pages) -> None:
    """A replay begins by itself, can be stopped, and is followed by another match."""
    with serve_sources(file) as base:
        page = pages.open(f"{base}t/tournament/live")
        kind, board = page.locator("#broadcast .kind"), page.locator("#broadcast .shown")
        expect(kind).to_contain_text("a replay")
        expect(board.locator(".card").first).to_be_visible()
        first = kind.inner_text()
        page.get_by_role("button", name="Pause").click()
        check_page_in_all_themes(page)
        page.get_by_role("button", name="Next match").click()
        expect(kind).not_to_have_text(first)
        expect(page.locator("#part tbody tr")).to_have_count(12)


def test_of_two_matches_that_are_asked_for_one_is_played(file: Path, pages: Pages) -> None:
    """Whoever presses twice sees the second one: what comes of the first one is not waited for."""
    pages.allowed.add("net::ERR_")
    with serve_sources(file) as base:
        page = pages.blank()
        page.route(
            "**/*", lambda route: route.fallback()
        )  # an open page slips past its first route
        page.goto(f"{base}t/tournament/live")
        other, kind = (
            page.get_by_role("button", name="Next match"),
            page.locator("#broadcast .kind"),
        )
        expect(other).to_be_enabled()
        first = kind.inner_text()
        for late in ("**/live/next?*", "**/steps?*"):
            page.route(late, lambda _: None, times=1)
            with page.expect_request(late):
                other.click()
            with page.expect_event("requestfailed"):
                other.click()
            expect(kind).not_to_have_text(first)
            first = kind.inner_text()


def test_no_match_begins_while_a_reader_pauses(file: Path, pages: Pages) -> None:
    """A pause holds between two matches and while one is chosen, too, until it is over."""
    with serve_sources(file) as base:
        page = pages.blank(script=KEPT_RESTS)
        page.route("**/steps?*", lambda route: route.fulfill(json={"steps": []}))
        page.goto(f"{base}t/tournament/live")
        kind = page.locator("#broadcast .kind")
        page.wait_for_function("() => rests.size", polling=POLL_MILLISECONDS)
        first = kind.inner_text()
        page.get_by_role("button", name="Pause").click()
        assert page.evaluate("rests.size") == 0
        page.get_by_role("button", name="Continue").click()
        page.evaluate("[...rests.values()].forEach((act) => act())")
        expect(kind).not_to_have_text(first)


def test_the_best_match_that_was_not_shown_comes_next(file: Path) -> None:
    """When all were shown it begins again."""
    with open_test_client(build_server_app(file)) as client:
        seen: list[str] = []
        for _ in range(24):
            chosen = client.get(NEXT, params={"seen": ",".join(seen)}).json()
            assert chosen["kind"] == "replay"
            assert chosen["key"] not in seen
            seen.append(chosen["key"])
        assert client.get(NEXT, params={"seen": ",".join(seen)}).json()["key"] == seen[0]


def test_only_what_is_public_is_replayed(tmp_path: Path) -> None:
    """Neither a deal of which a rotation is open, nor anything before the hands are public."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(file, "UPDATE deals SET rotations = 2 WHERE number != 5")
    with open_test_client(build_server_app(file)) as client:
        assert client.get(NEXT).json()["key"] == "5.0"
        assert client.get(NEXT, params={"seen": "5.0"}).json()["key"] == "5.0"
        edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
        assert client.get(NEXT).json() == {"kind": "none"}
