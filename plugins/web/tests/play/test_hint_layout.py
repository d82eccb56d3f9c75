"""The place of a hint on the page of a seat: the board and the answers stay in sight."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.requirements import require_solver
from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    TableServer,
    play_on,
    serve_tables,
    sit_down,
    wait_for_question,
)

CARDS = 13
LISTS = {"Easy's bids", "Your bids"}  # of earlier rounds, at the end of the board
SCREENS = [(1200, 800, set[str]()), (390, 844, LISTS)]
HINT: dict[str, Any] = {
    "n": 1,
    "source": "The exact solution",
    "text": "If both play perfectly, you end level on average.",
    "answers": [
        {"label": str(card), "share": 1 / CARDS, "text": "as good as the best"}
        for card in range(1, CARDS + 1)
    ],
}
COVERED_ZONES = """() => {
  const dock = document.getElementById("dock").getBoundingClientRect();
  return [...document.querySelectorAll("#board .zone")]
    .filter((zone) => zone.offsetHeight && zone.getBoundingClientRect().bottom > dock.top + 1)
    .map((zone) => zone.innerText.trim().split("\\n")[0]);
}"""
HIDDEN_BUTTONS = """() => [...document.querySelectorAll("#dock button:not([hidden])")].filter((button) => {
  const box = button.getBoundingClientRect();
  return box.top < 0 || box.bottom > innerHeight;
}).length"""

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
LAY_OUT = f"""async (allowed) => {{
  const isDone = () => ({COVERED_ZONES})().every((zone) => allowed.includes(zone)) && ({HIDDEN_BUTTONS})() === 0;
  for (let frame = 0; frame < 10 && !isDone(); frame += 1) await {FRAMES};
}}"""
LOG_SHARE = """() => document.getElementById("log").offsetHeight / document.querySelector("div.log").offsetHeight"""

BESIDE = """() => ["#hinted", "div.log"].map((part) => {
  const {left, right} = document.querySelector(part).getBoundingClientRect();
  return [left, right].map(Math.round);
})"""
"""The edges of the hint and of the log, over which it lies on a desk."""
RAISE = """() => {
  const card = document.querySelector("#hand button.card");
  card.setAttribute("aria-pressed", "true");
  return card.getBoundingClientRect().top - document.querySelector("#hand .title").getBoundingClientRect().bottom;
}"""
"""Raises a card, and measures the room between it and the words above the hand."""
NEWEST_LINE = """() => {
  const edges = (part) => document.querySelector(part).getBoundingClientRect();
  const line = edges("#lines li:last-child");
  return line.top >= edges("#log").top && line.bottom <= Math.min(edges("#log").bottom, edges("#hinted").top);
}"""
"""Whether the newest line of the log is seen above the hint."""
FRAME = 3  # pixels of the frame of a raised card


def open_hint(page: Page, at: TableServer) -> None:
    """Open a table and ask for a hint with an answer for each card of a full hand."""
    page.route("**/hint", lambda route: route.fulfill(json=HINT))
    sit_down(page, at, "gops", "easy", cards=CARDS)
    assert wait_for_question(page)
    page.get_by_role("button", name="Show a hint").click()
    page.locator("#hinted tbody tr").nth(CARDS - 1).wait_for()


def test_a_hint_covers_neither_the_board_nor_the_answers(pages: Pages) -> None:
    """The longest covers nothing at a desk nor halves the log, and on a phone only lists of bids."""
    require_solver()
    with serve_tables() as at:
        page = pages.blank()
        open_hint(page, at)
        for width, height, allowed in SCREENS:
            for wide in (
                width - 1,
                width,
            ):  # zones keep heights that they had while the page loaded
                page.set_viewport_size({"width": wide, "height": height})
                page.evaluate(FRAMES)  # two changes of width in one frame are none
            page.evaluate(LAY_OUT, sorted(allowed))
            assert {*page.evaluate(COVERED_ZONES)} <= allowed
            assert page.evaluate(HIDDEN_BUTTONS) == 0
            assert page.evaluate(RAISE) >= FRAME
            if not allowed:
                hint, log = page.evaluate(BESIDE)
                assert hint == log
                page.evaluate(
                    "for (let at = 0; at < 99; at += 1) lines.append(lines.lastChild.cloneNode(true))"
                )
                assert page.evaluate(NEWEST_LINE)
            assert page.evaluate(LOG_SHARE) > 0.5  # which leaves it the larger part


PLACES = """() => [...document.querySelectorAll("#board .zone, #hand button, #controls button, .asked h2")]
  .map((part) => Math.round(part.getBoundingClientRect().top))"""
"""Where the table, the question and the answers stand."""
LENGTHEN = 'document.querySelector("#hinted p").append(" It is better than the others.".repeat(9))'


@pytest.mark.parametrize("game", ["hearts", "coup", "bs"])
def test_a_hint_moves_nothing_on_a_telephone(pages: Pages, game: str) -> None:
    """Room for it is there from the beginning, and a long one is scrolled within that."""
    with serve_tables() as at:
        page = pages.blank(touch=True)
        page.set_viewport_size({"width": 360, "height": 740})
        sit_down(page, at, game, *["counter"] * 2)
        for answers in range(2):
            assert play_on(page, answers) == answers
            assert wait_for_question(page)
            page.evaluate(FRAMES)
            before = page.evaluate(PLACES)
            page.get_by_role("button", name="Show a hint").click()
            page.locator("#hinted strong").wait_for()
            page.evaluate(LENGTHEN)
            page.evaluate(FRAMES)
            assert page.evaluate(PLACES) == before
            expect(page.locator("#hinted")).to_be_in_viewport(ratio=1)


COVERED_BY_HINT = """() => {
  const { top, bottom } = document.getElementById("hinted").getBoundingClientRect();
  return [...document.querySelectorAll("#board .zone")].filter((zone) => {
    const box = zone.getBoundingClientRect();
    return zone.offsetHeight && box.bottom > top && box.top < bottom;
  }).map((zone) => zone.getAttribute("aria-label"));
}"""
IS_CUT = "(hint) => hint.scrollHeight > hint.clientHeight"


def test_a_hint_lies_on_empty_felt_on_a_telephone(pages: Pages) -> None:
    """It covers no zone where there is room, and a short one is seen as a whole."""
    with serve_tables() as at:
        for game, bot in (("kuhn", "optimal"), ("gops", "easy")):
            page = pages.blank(touch=True)
            page.set_viewport_size({"width": 390, "height": 844})
            sit_down(page, at, game, bot)
            assert wait_for_question(page)
            page.get_by_role("button", name="Show a hint").click()
            page.locator("#hinted strong").wait_for()
            for _ in range(2):  # it is measured, then placed
                page.evaluate(FRAMES)
            assert page.evaluate(COVERED_BY_HINT) == []
            if game == "kuhn":
                assert not page.locator("#hinted").evaluate(IS_CUT)
