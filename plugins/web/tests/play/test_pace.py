"""The pace of a match on a page: what happens stays on the table until it has been seen."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    TableServer,
    check_end,
    give_first_answer,
    serve_tables,
    sit_down,
    wait_for_question,
)

RECORD = """() => {
  window.drawn = [];
  const zone = (key) => document.querySelector(`#board [data-zone=${key}]`);
  const look = () => {
    const middle = zone("claim") || zone("bids");
    const state = {
      title: (zone("prize") || middle).querySelector("b").textContent,
      cards: middle.querySelectorAll(".card:not(.back)").length,
      text: middle.querySelector(".words").textContent,
      told: (document.getElementById("told") || {}).textContent,
      waits: (document.getElementById("asked") || {}).textContent,
      asked: document.getElementById("match").classList.contains("asked-now"),
    };
    if (JSON.stringify(state) !== JSON.stringify(drawn.at(-1))) drawn.push(state);
    if (window.act) act(state);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Keeps what is drawn in the middle of the table, one state after the other."""

SKIP = """() => {
  const make = (detail) => new MouseEvent("click", { bubbles: true, cancelable: true, detail });
  const press = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  const skips = [make(1), press(" "), press("Enter")];
  const card = () => document.querySelector("#hand .card");
  const sees = (selector) => document.querySelector(selector) !== null;
  let now = performance.now();
  performance.now = () => now;
  window.skipped = [];
  window.act = ({ cards, asked }) => {
    if (cards !== 2 || asked || !skips.length) return;
    const press = skips.shift();
    card().dispatchEvent(make(2));
    const early = sees("#match.asked-now");
    now += 1000;
    card().dispatchEvent(press);
    const there = sees("#match.asked-now");
    card().dispatchEvent(make(2));
    skipped.push([early, there, sees("#dock.sent")]);
  };
}"""
"""Skips a second after an answer, while the bids are shown: by a click on a card, and by keys.

Before that comes the second click of the answer, and another one follows. The page's clock stands
still meanwhile, however long the bot and the server take."""

COUNT_DELAYS = """
try { localStorage["arena-pace"] = "slow"; } catch { /* an empty page has no store */ }
window.delays = [];
window.setTimeout = ((wait) => (act, delay, ...rest) => {
  delays.push(delay);
  return wait(act, delay, ...rest);
})(window.setTimeout);
"""
SLOW_PAUSES = {1200, 2400}  # milliseconds

HOLD_AT_THE_END = """() => {
  const wait = window.setTimeout, pauses = [];
  let held = false, skipped = false;
  addEventListener("click", () => { skipped = held; }, true);
  window.setTimeout = (act, delay, ...rest) => {
    if (held && delay && !skipped) return -1;
    const timer = wait(act, delay, ...rest);
    if (delay) pauses.push(timer);
    return timer;
  };
  new MutationObserver(() => {
    const skip = [...document.querySelectorAll("button:not([hidden])")]
      .some(({ textContent }) => textContent === "Skip to the end");
    if (!skip || held) return;
    held = true;
    pauses.forEach(clearTimeout);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Has no pause end by itself, once what is left can be skipped, until it is."""

PAUSES = """async ([steps, within]) => {
  const { Pace } = await import("/static/pace.js");
  const { setTimeout } = window, delays = [], calls = [];
  window.setTimeout = (call, delay) => calls.push(call) && delays.push(delay);
  new Pace(() => {}, () => 1).add(steps.map((step) => ({ kind: "step", step })), within);
  for (const call of calls) call(); // of which each may ask for another one
  window.setTimeout = setTimeout;
  return delays.slice(1); // after the one in which all come together
}"""
"""The milliseconds for which each of these steps is shown."""


def sit(pages: Pages, at: TableServer, pace: str, game: str, *bots: str, **options: object) -> Page:
    """Sit down at a table, choose a pace, and record what is drawn from the first question on."""
    page = pages.blank()
    page.emulate_media(reduced_motion="no-preference")
    sit_down(page, at, game, *bots, **options)
    assert wait_for_question(page)
    page.get_by_role("button", name="menu").click()
    page.get_by_label("Pace").select_option(pace)
    page.evaluate(RECORD)
    return page


def answer(page: Page, label: str = "") -> None:
    """Answer by a key, since a click may be one that skips."""
    buttons = page.locator("#dock button.card, #controls button")
    (buttons.filter(has_text=label) if label else buttons).first.press("Enter")


def watch(pages: Pages, address: str, page: Page, pace: str) -> Page:
    """Watch a table at a pace of one's own, which the browser keeps."""
    link = page.get_by_text("Spectator page").get_attribute("href")
    assert link
    eve = pages.open(address + link.removeprefix("../"))
    eve.get_by_label("Pace").select_option(pace)
    eve.reload()
    expect(eve.get_by_label("Pace")).to_have_value(pace)
    eve.locator("[data-zone=bids]").wait_for()
    eve.evaluate(RECORD)
    return eve


def read_states(page: Page) -> list[dict[str, Any]]:
    """Return what was drawn."""
    states: list[dict[str, Any]] = page.evaluate("drawn")
    return states


def test_bids_lie_beside_their_prize_before_the_next_question(pages: Pages) -> None:
    """Who plays and who watches see the bids of each round; the result comes after the last.

    Nobody is said to think while they are shown.
    """
    with serve_tables() as at:
        page = sit(pages, at, "fast", "gops", "easy", cards=2)
        eve = watch(pages, at.address, page, "fast")
        for _ in range(2):
            assert wait_for_question(page)
            answer(page)
        for window in (page, eve):
            check_end(window)
            states = read_states(window)
            bids = [state["title"] for state in states if state["cards"] == 2]
            assert [*dict.fromkeys(bids)] == [f"Prize, round {at} of 2" for at in (1, 2)]
            assert not any(state["asked"] for state in states if state["cards"])
            first = {state["title"]: state for state in reversed(states) if state["cards"] == 2}
            assert not any("thinking" in f"{state.get('waits')}" for state in first.values())


KEEP_PREVENTED = """() => document.addEventListener("keydown", (event) => {
  window.isPrevented = event.defaultPrevented;
})"""
"""Keeps whether the browser does what it does of itself at a key, which is to scroll at Space."""


def test_who_skips_answers_nothing(pages: Pages) -> None:
    """A click, Space and Enter bring the question; a double click on a card does not play it.

    Nor does the second click of an answer skip what it brings, nor one press too many scroll.
    What is still to be shown at the end has a button to skip it.
    """
    with serve_tables() as at:
        page = sit(pages, at, "fast", "gops", "easy", cards=5)
        page.evaluate(SKIP)
        for number in (1, 2, 3):
            assert wait_for_question(page)
            answer(page)
            page.wait_for_function("number => skipped.length === number", arg=number)
        assert page.evaluate("skipped") == [[False, True, False]] * 3
        assert wait_for_question(page)
        expect(page.locator("#hand button.card")).to_have_count(2)
        page.evaluate(KEEP_PREVENTED)
        page.keyboard.press("Space")
        assert page.evaluate("isPrevented")
        answer(page)
        assert wait_for_question(page)
        page.get_by_label("Pace").select_option("slow")
        eve = watch(pages, at.address, page, "slow")
        for window in (page, eve):
            window.evaluate(HOLD_AT_THE_END)  # else all may have been shown before it is skipped
        answer(page)
        for window in (page, eve):
            window.get_by_role("button", name="Skip to the end").click()
            check_end(window)


def test_a_page_that_is_opened_again_waits_for_nothing(pages: Pages) -> None:
    """What had happened before is no news; pauses fit the time that a clock or a fast match leaves."""
    with serve_tables() as at:
        page = sit(pages, at, "none", "gops", "easy", cards=3)
        answer(page)
        expect(page.locator("#hand button.card")).to_have_count(2)
        again = pages.blank(script=COUNT_DELAYS)
        again.goto(page.url)
        assert wait_for_question(again)
        expect(again.locator("#hand button.card")).to_have_count(2)
        assert not SLOW_PAUSES & {*again.evaluate("delays")}
        answer(again)
        again.wait_for_function(
            "delays => delays.some((each) => window.delays.includes(each))", arg=[*SLOW_PAUSES]
        )
        steps = [{"t": ["Ann bets."]}, {"t": [["heading", "Round 2"]]}, {"z": {}}]
        for seconds, pauses in {9000: [1200, 600, 600], 240: [120, 60, 60], 0: []}.items():
            assert page.evaluate(PAUSES, [steps, seconds]) == pauses


def test_a_call_of_bs_is_seen_step_by_step(pages: Pages) -> None:
    """The question names the claim; then who called, what lay there, and who takes how many."""
    with serve_tables() as at:
        page = sit(pages, at, "none", "bs", "honest")
        asked = re.compile(r"^Expert bot claims \w+ \w+\. Do you call BS\?$")
        while not page.locator("#asked").filter(has_text=asked).count():
            give_first_answer(page)
            assert wait_for_question(page)
        page.get_by_label("Pace").select_option("fast")
        page.evaluate("drawn.length = 0")
        answer(page, "BS")
        page.wait_for_function("() => drawn.some(({ text }) => text.includes('take'))")
        states = read_states(page)
        shown = [bool(state["cards"]) for state in states if state["text"].endswith("called BS")]
        assert shown == [False, True]
        taken = next(state for state in states if "take" in state["text"])
        assert re.search(r"called BS: (the truth|a bluff); .+ takes? \d+ cards?$", taken["text"])
        assert re.search(r"BS\. The cards? w(as|ere) .+\. .+ takes? the pile of \d+", taken["told"])
