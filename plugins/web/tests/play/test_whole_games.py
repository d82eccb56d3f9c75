"""Whole games in a seat: by clicks, by touch and by keys; what is revealed is seen before it goes.

Each game and each way is tried; a release tries all combinations. Pauses are cut short, since what
is drawn is recorded state by state, whatever its time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from arena import Zone, ZoneKind
from arena.plugins import get_plugins
from arena.records import parse_lines, verify
from arena.wires import to_printable
from arena_web.matches.replay_steps import list_steps
from arena_web.play.setup_requests import parse_setup
from tests.support.web.browser import SCHEMES, Pages, check_page
from tests.support.web.seat_pages import check_end, open_seat, serve_tables, wait_for_question
from tests.support.web.seat_players import find_match, get_ending

GAMES = {  # against whom, with which options and which cards: short, and yet with all kinds of questions
    "gops": (["easy"], ["cards=4"], "4"),
    "bs": (["honest", "caller"], ["max_turns=8"], "4"),
    "hearts": (["low", "low", "low"], ["deals=1"], "4"),
    "briscola": (["thrifty"] * 3, [], "4"),
    "coup": (["honest", "bold"], [], "15"),
    "kuhn": (["optimal"], [], "4"),
}

DESK, TELEPHONE = (1200, 800), (360, 740)
SHORT_PAUSES = """
try { localStorage["arena-pace"] = "fast"; } catch { /* an empty page has no store */ }
window.setTimeout = ((wait) => (act, delay, ...rest) => wait(act, 0, ...rest))(window.setTimeout);
"""
RECORD = """() => {
  window.drawn = [];
  const look = () => {
    const zones = [...document.querySelectorAll("#board .middle > .zone")];
    const state = zones.map((zone) => [
      zone.dataset.zone,
      [...zone.querySelectorAll("[data-held]")].map((laid) => laid.dataset.held),
      zone.querySelector(".words").textContent,
    ]);
    if (JSON.stringify(state) !== JSON.stringify(drawn.at(-1))) drawn.push(state);
  };
  look();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
}"""
"""Keeps what lies in the middle of the table, one state after the other."""

PAST = (ZoneKind.HAND, ZoneKind.ROW, ZoneKind.TEXT)  # kinds of zones that do not lie in the middle
State = list[list[Any]]


def click(page: Page, button: Locator) -> None:
    """Click with the mouse, once one can have read what is asked; cards overlap but for their edge."""
    page.locator("#dock:not(.unread)").wait_for()
    button.click(position={"x": 5, "y": 20})


def tap(page: Page, button: Locator) -> None:
    """Touch, and confirm what was selected."""
    page.locator("#dock:not(.unread)").wait_for()
    button.tap(position={"x": 5, "y": 20})
    confirm = page.locator(".confirming button").first
    if confirm.count() and confirm.is_enabled():
        check_once(page, "confirm")
        confirm.tap()


def press_keys(page: Page, button: Locator) -> None:
    """Go to a button by arrows, from where the focus is, and press Enter."""
    wanted = button.element_handle()
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement === wanted", wanted):
            break
        page.keyboard.press("ArrowRight")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")


WAYS: dict[str, Callable[[Page, Locator], None]] = {
    "clicks": click, "touch": tap, "keys": press_keys,
}  # fmt: skip
CHECKED: set[str] = set()  # the states of a seat that axe has looked at in this game


def check_once(page: Page, state: str) -> None:
    """Have a page looked over if it was not in this state before."""
    if state not in CHECKED:
        CHECKED.add(state)
        check_page(page)


FIND_PARTS = """() =>
  ["#typed", ".count", "#hand button", "#controls button", "#standing"].filter((part) =>
    [...document.querySelectorAll(part)].some((found) => found.checkVisibility()))"""
"""Finds what kind of question is open, and what else there is to see."""


def answer(page: Page, use: Callable[[Page, Locator], None], parts: list[str]) -> None:
    """Give the first answer by these parts of the page."""
    if "#typed" in parts:
        page.locator("#typed").press("Enter")
    elif ".count" in parts:
        while page.locator("#controls > .primary").is_disabled():
            use(page, page.locator("#dock button[aria-pressed=false]").first)
        use(page, page.locator("#controls > .primary"))
    else:
        use(page, page.locator("#hand button, #controls button").first)


def list_middles(transcript: str, seat: int, names: Sequence[str]) -> Iterator[State]:
    """Yield what lies in the middle of the table after each step that a seat sees."""
    recorded = parse_lines(transcript.splitlines())
    zones: dict[str, Zone | None] = {}
    for step in list_steps(recorded, [str(seat)], names)[str(seat)]:
        zones.update(step.shown.zones)
        yield [
            [key, list_held(zone), to_printable(zone.text)]
            for key, zone in zones.items()
            if zone and zone.kind not in PAST
        ]


def list_held(zone: Zone) -> list[str]:
    """Return the cards of a zone as the page marks them."""
    seats = zone.seats
    return [f"{card}/{seats[at] if seats else 'undefined'}" for at, card in enumerate(zone.cards)]


@pytest.mark.each("game", "way")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(pages: Pages, game: str, way: str) -> None:
    """Everything that lay on the table was drawn; axe finds nothing in any state of the seat."""
    setup = parse_setup(game, *GAMES[game])
    assert setup
    CHECKED.clear()
    width, height = TELEPHONE if way == "touch" else DESK
    scheme = SCHEMES[way != "touch"]
    with serve_tables() as at:
        page = pages.blank(touch=way == "touch", script=SHORT_PAUSES)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        open_seat(page, at, setup)
        assert wait_for_question(page)
        table = find_match(at.tables, next(iter(at.tables.places)))
        page.evaluate(RECORD)
        page.get_by_role("button", name="Show a hint").press("Enter")
        expect(page.locator("#hinted")).not_to_be_empty()
        check_once(page, "hint")
        if way == "keys":
            page.locator("#asked").focus()
        while wait_for_question(page):
            parts = page.evaluate(FIND_PARTS)
            check_once(page, " ".join(parts))
            if way == "keys":
                expect(page.locator("#asked, #typed")).to_be_focused()
            answer(page, WAYS[way], parts)
        check_end(page)
        expect(page.locator("#board .others .back")).to_have_count(0)  # who had what
        expect(page.locator("#review li").first).to_be_visible()
        expect(page.locator("#review [role=status]")).to_contain_text(
            re.compile(
                " most| may have cost| led to a loss|[Yy]ou made | gained ground| took the lead| decide| cost you "
            )
        )
        check_once(page, "end")
        drawn = iter(page.evaluate("drawn"))
        first = next(drawn)
        seat = table.seating.spec.names.index(setup.terms.persons[0])
        middles = [*list_middles(get_ending(table).transcript, seat, table.names)]
        for state in middles[middles.index(first) :]:
            assert state == first or any(state == other for other in drawn), state
            first = state
        verify(
            get_plugins().find_game(game), parse_lines(get_ending(table).transcript.splitlines())
        )
        if way == "keys":
            page.locator("#ended-title").focus()
            page.keyboard.press("Tab")
            expect(
                page.get_by_role("button", name=re.compile("^(Play again|Next)"))
            ).to_be_focused()
            page.keyboard.press("Enter")
            assert wait_for_question(page)
