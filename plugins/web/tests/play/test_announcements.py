"""A match by ear: what a page says aloud from the first question to the end, with keys alone.

The transcripts in `announcements/` have what live regions say, `>` before an answer, and in brackets
what has the focus. `REFRESH=1 pytest` on this module writes them anew; read them then.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena_web.play.setup_requests import parse_setup
from tests.support.refresh import explain_refresh, is_refreshing
from tests.support.web.browser import Pages
from tests.support.web.seat_pages import check_end, open_seat, serve_tables, wait_for_question

GAMES = {  # against whom, with which options and which cards
    "gops": (["easy"], ["cards=4"], "4"),
    "bs": (["honest", "caller"], ["max_turns=8"], "4"),
    "hearts": (["low", "low", "low"], ["deals=1"], "4"),
    "briscola": (["thrifty"], [], "4"),
    "coup": (["honest", "bold"], [], "15"),
    "kuhn": (["optimal"], [], "4"),
}
FOLDER = Path(__file__).with_name("announcements")
SIGNS = "♣♦♥♠"
LISTEN = """
window.heard = [];
window.lost = [];
const LIVE = "[role=log], [role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
const speak = (node) => {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType !== 1 || node.hidden || node.getAttribute("aria-hidden") === "true") return "";
  return node.getAttribute("aria-label") ?? [...node.childNodes].map(speak).join("");
};
const hear = (records) => {
  for (const { target, addedNodes, type } of records) {
    const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(LIVE);
    if (!region || region.closest("#ended")) continue;
    for (const node of type === "characterData" ? [target] : addedNodes) if (speak(node).trim()) heard.push(speak(node).trim());
  }
  if (heard.length && document.querySelector("#match:not(.over)") && document.activeElement === document.body) lost.push(heard.at(-1));
};
const hearing = new MutationObserver(hear);
hearing.observe(document, { subtree: true, childList: true, characterData: true });
document.addEventListener("focusin", ({ target }) => {
  hear(hearing.takeRecords());
  if (target.matches("button")) return;
  heard.push(`[${target.textContent.trim()}]`);
});
"""
"""Keeps what is said aloud, and what has the focus; and after what the focus was nowhere."""


def answer(page: Page) -> None:
    """Give the first answer by keys, and note it in the transcript."""
    send = page.locator("#controls > .primary")
    while send.count() and send.is_disabled():
        press(page, "#dock button[aria-pressed=false]")
    press(page, "#controls > .primary" if send.count() else "#hand button, #controls button")


def press(page: Page, buttons: str) -> None:
    """Go to the first of these buttons, and press Enter."""
    button = page.locator(buttons).first
    name = button.evaluate(
        "one => one.ariaLabel ?? (one.querySelector('.hidden') ?? one).innerText"
    )
    page.evaluate("name => heard.push('> ' + name)", " ".join(name.split()))
    button.press("Enter")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_by_ear(pages: Pages, game: str) -> None:
    """What happened is said once and in order, then the question, then nothing.

    The focus is never nowhere, and suits are words.
    """
    setup = parse_setup(game, *GAMES[game])
    assert setup
    with serve_tables() as at:
        page = pages.blank(script=LISTEN)
        open_seat(page, at, setup)
        questions = []
        while wait_for_question(page):
            questions.append(page.locator("#asked").inner_text())
            expect(page.locator("#say p").last).to_have_text(questions[-1])
            expect(page.locator("#asked")).to_be_focused()
            answer(page)
        check_end(page)
        heard: list[str] = page.evaluate("heard")
        assert page.evaluate("lost") == []
    asked = Counter(sentence for sentence in heard if sentence in questions)
    assert asked == Counter(questions)
    assert not {*SIGNS} & {*"".join(heard)}
    transcript = "".join(f"{sentence}\n" for sentence in heard)
    file = FOLDER / f"{game}.txt"
    if is_refreshing():
        file.write_text(transcript)
    assert transcript == file.read_text(), explain_refresh(__file__)
