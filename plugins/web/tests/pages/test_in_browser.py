"""Pages in a browser: they follow a run, are sorted, hold strangers' names as text, suit everybody."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from arena.tournament.file.reader import load
from arena_web.http.sse import FollowerLimit
from arena_web.live import changes
from arena_web.site.scripts import bundle_script
from tests.support.programs import TIMEOUT
from tests.support.tournaments.folders import run_tournament
from tests.support.tournaments.served import FOUR, edit_database, play_tournament, serve_sources
from tests.support.web.browser import Pages, check_page, check_page_in_all_themes
from tests.support.web.flaky_proxy import run_proxy

T = "t/tournament/"
HOSTILE = '<img src=x onerror="window.bad=1">{{ 7*7 }}\u202e'
ALL = ("", "matrix", "curves", "matches", "matches?bot=match", "bots/match", "m/3.0", "nothing")
FOLLOWED_AGAIN = "() => !window.kept && document.querySelector('[data-following=yes]')"
BUSIEST = {"", "bots/match", "m/3.0"}  # with what there is on the others, too


def test_standings_move_while_a_tournament_runs(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without being loaded anew, sorted as they were, the focus where it was."""
    monkeypatch.setattr(changes, "MIN_MESSAGE_SECONDS", 0.05)
    monkeypatch.setattr(
        "arena_web.http.refreshed_values.MAX_WAIT_SECONDS", TIMEOUT
    )  # for the last state
    file = play_tournament(tmp_path, *FOUR)
    with serve_sources(file) as base:
        page = pages.open(base + T)
        page.get_by_text("24 matches played").wait_for()
        page.evaluate("window.kept = 1")
        page.get_by_role("button", name="bot").click()
        page.locator("[data-following=yes]").wait_for()
        assert page.locator(".live").inner_text() == ""
        names = page.locator(".standings tbody th a")
        assert names.all_inner_texts() == sorted(FOUR)
        page.get_by_role("link", name="medium", exact=True).focus()
        file.write_text(file.read_text().replace("matches = 24", "matches = 30"))
        run_tournament(load(file))
        page.get_by_text("30 matches played").wait_for()
        page.get_by_text("Finished on").wait_for()
        assert names.all_inner_texts() == sorted(FOUR)
        assert page.evaluate("document.activeElement.textContent") == "medium"
        assert page.evaluate("window.kept") == 1
        page.get_by_role("button", name="rating").click()
        ratings = page.locator(".standings tbody td:nth-child(3)").evaluate_all(
            "cells => cells.map((cell) => Number(cell.dataset.value))"
        )
        assert ratings == sorted(ratings, reverse=True)


def test_pages_come_back_to_a_server_that_was_started_again(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the first one has said goodbye, nobody needs to touch them."""
    pages.allowed.add("net::ERR_")
    file = play_tournament(tmp_path, *FOUR)
    with serve_sources(file) as later, run_proxy(later) as line:
        with serve_sources(file) as earlier:
            line.there = urlsplit(earlier)
            windows = [pages.open(f"{line.address}{T}{path}") for path in ("", "matches", "live")]
            for page in windows:
                page.locator("[data-following=yes]").wait_for()
                page.evaluate("window.kept = 1")
            monkeypatch.setattr(changes, "SERVER_ID", "later")
            line.there = urlsplit(later)
        for page in windows:
            page.wait_for_function(FOLLOWED_AGAIN, polling=200)


def test_a_page_for_whose_stream_there_is_no_room_asks_again(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It follows as soon as somebody has left."""
    pages.allowed.add("503 (Service Unavailable)")
    with serve_sources(play_tournament(tmp_path, *FOUR)) as base:
        page = pages.blank()
        with monkeypatch.context() as full:
            full.setattr(FollowerLimit, "is_full", lambda *_: True)
            with page.expect_response("**/events") as refused:
                page.goto(base + T)
            assert refused.value.status == 503
        page.locator("[data-following=yes]").wait_for()


def test_a_bot_is_found_in_long_standings(pages: Pages, tmp_path: Path) -> None:
    """Rows without the text in their name are hidden, also once they are sorted."""
    bots = {f"bot{number}": "random" for number in range(13)}
    with serve_sources(play_tournament(tmp_path, **bots)) as base:
        page = pages.open(base + T)
        rows = page.locator(".standings tbody tr:visible")
        expect(rows).to_have_count(13)
        page.get_by_label("find a bot").fill("BOT1")
        expect(rows).to_have_count(4)
        page.get_by_role("button", name="bot", exact=True).click()
        assert page.locator(".standings tbody tr:visible th a").all_inner_texts() == [
            "bot1", "bot10", "bot11", "bot12",
        ]  # fmt: skip
        check_page(page)
        page.get_by_label("find a bot").fill("")
        expect(rows).to_have_count(13)


def test_tables_with_names_of_one_length_are_sorted_and_searched_apart(
    pages: Pages, tmp_path: Path
) -> None:
    """Each has controls of its own, by which the focus is found again in a part that follows."""
    rows = "".join(f"<tr><th>bot{number}</th></tr>" for number in range(13))
    tables = [
        f"<table data-sortable data-search-label='find a bot'><caption>{caption}</caption>"
        f"<thead><tr><th>bot</th></tr></thead><tbody>{rows}</tbody></table>"
        for caption in ("Ratings", "Results")
    ]
    (tmp_path / "sort.js").write_bytes(bundle_script("sort.js"))
    page_text = ["<!doctype html>", *tables, "<script src=sort.js></script>"]
    (tmp_path / "tables.html").write_text("".join(page_text))
    page = pages.open(f"file://{tmp_path}/tables.html")
    ids = page.locator("[id]").evaluate_all("parts => parts.map(({ id }) => id)")
    assert len(ids) == len({*ids}) == 4
    page.get_by_role("button", name="bot").last.click()
    page.get_by_label("find a bot").last.fill("bot12")
    assert page.locator("[aria-sort]").count() == 1
    assert [page.locator(f"table:nth-of-type({n}) tbody tr:visible").count() for n in (1, 2)] == [
        13,
        1,
    ]


def test_all_pages_suit_everybody(pages: Pages, tmp_path: Path) -> None:
    """In light and dark, on a telephone too, nothing keeps anybody out."""
    pages.allowed.add("404")
    with serve_sources(play_tournament(tmp_path, *FOUR)) as base:
        page = pages.blank()
        for path in ALL:
            page.goto(base + T + path)
            if path in BUSIEST:
                check_page_in_all_themes(page)
            else:
                check_page(page)


def test_names_of_strangers_are_text(pages: Pages, tmp_path: Path) -> None:
    """In every column of the database that is shown, no element is made of them."""
    file = play_tournament(tmp_path, *FOUR)
    verdict = '{"kind": "illegal", "detail": "<img src=x>", "line": "<img>", "question": "<img>"}'
    edit_database(file, "UPDATE entrants SET name = :bad, version = :bad, why = :bad WHERE id = 1",
            "UPDATE deals SET stage = :bad", "UPDATE matches SET detail = :bad, stored = :bad",
            "UPDATE seats SET kind = :bad, verdict = :verdict, errors = :bad",
            bad=HOSTILE, verdict=verdict)  # fmt: skip
    with serve_sources(file) as base:
        page = pages.open(base + T)
        page.get_by_role("link", name="<img").first.click()
        page.get_by_role("heading", level=1).wait_for()
        for path in ALL[:-1]:
            if "bot" in path:
                continue
            text = page.request.get(base + T + path).text()
            assert "<img" not in text
            assert "&lt;img" in text or path == "m/3.0"
            assert "49" not in text.partition("</title>")[0]
        for address in (page.url, f"{base}{T}m/3.0"):  # scripts read these
            page.goto(address)
            assert page.get_by_role("heading", level=1).count() == 1
            assert page.locator("img").count() == 0
            assert page.evaluate("window.bad") is None
