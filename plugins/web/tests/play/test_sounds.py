"""Sounds of a seat: none until they are asked for, then cards, turns and the end of a match."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    check_end,
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
TURN = [659, 880]
ENDS = {True: [523, 659, 784, 1047], False: [392, 330, 262]}
"""The notes, in hertz, by whether the match was won."""


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
        play_on(page)
        check_end(page)
        won = page.locator("#ended.won").count() > 0
        wait_to_hear(page, *ENDS[won])
