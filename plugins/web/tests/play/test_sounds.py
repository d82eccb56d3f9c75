"""Sounds of a seat: none until they are asked for, then cards, turns and the end of a match."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    give_first_answer,
    play_on,
    press,
    serve_tables,
    sit_down,
    wait_for_question,
)

LISTEN = """
window.heard = [];
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (...at) {
  heard.push(this.frequency ? this.frequency.value : "noise");
  return start.apply(this, at);
};
AudioBufferSourceNode.prototype.start = function (...at) {
  heard.push("noise");
  return start.apply(this, at);
};
"""
WANT_SOUNDS = (
    "try { localStorage['arena-sounds'] = 'on'; } catch { /* an empty page has no store */ }"
)
TURN = [659, 880]
ENDS = [("won", [523, 659, 784, 1047]), ("tied", [494, 440]), ("lost", [392, 330, 262])]
"""How a match may come out for the person, and its notes in hertz."""
CARDS = {"won": 4, "tied": 2, "lost": 5}
"""The numbers of cards of matches of GOPS that come out so by the first answers."""


def wait_to_hear(page: Page, *sounds: int | str) -> None:
    """Wait until these sounds were heard, and forget them."""
    page.wait_for_function("(sounds) => sounds.every((one) => heard.includes(one))", arg=[*sounds])
    page.evaluate("heard.length = 0")


def test_sounds_are_off_until_they_are_asked_for(pages: Pages) -> None:
    """Nothing is loaded before, and the browser remembers the choice."""
    asked: list[str] = []
    with serve_tables() as at:
        page = pages.blank(script=LISTEN)
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        sit_down(page, at, "gops", "easy", cards=4)
        assert wait_for_question(page)
        give_first_answer(page)
        assert wait_for_question(page)
        assert "sounds.js" not in asked
        page.get_by_role("button", name="Rules & menu").click()
        page.get_by_label("Sounds").check()
        wait_to_hear(page, *TURN)
        page.keyboard.press("Escape")
        press(page.locator("#hand button").first)
        wait_to_hear(page, "noise", *TURN)
        page.reload()
        assert wait_for_question(page)
        expect(page.locator("#sounds")).to_be_checked()
        press(page.locator("#hand button").first)
        wait_to_hear(page, "noise")


@pytest.mark.parametrize(("outcome", "notes"), ENDS)
def test_the_end_sounds_and_looks_as_the_match_came_out(
    pages: Pages, outcome: str, notes: list[int]
) -> None:
    """Only a win looks like one, and a tie sounds like neither a win nor a defeat."""
    with serve_tables() as at:
        page = pages.blank(script=f"{LISTEN}{WANT_SOUNDS}")
        sit_down(page, at, "gops", "easy", cards=CARDS[outcome])
        play_on(page)
        expect(page.locator("#ended-title")).to_contain_text(f"You {outcome}")
        page.wait_for_function("(last) => heard.includes(last)", arg=notes[-1])
        ends = {note for _, own_notes in ENDS for note in own_notes} - {*TURN}
        heard = {*page.evaluate("heard")} & ends
        assert heard == {*notes} - {*TURN}
        assert (page.locator("#ended.won").count() > 0) == (outcome == "won")
