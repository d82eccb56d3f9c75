"""Friends at a table, in browsers: who is there, a rematch, and those who watch."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.web.browser import Pages, check_page_in_all_themes
from tests.support.web.seat_pages import (
    check_end,
    give_first_answer,
    open_table,
    serve_tables,
    wait_for_question,
)


def invite(host: Page, address: str) -> dict[str, str]:
    """Open a table for ann and bob; return the links of all, which are found again."""
    open_table(host, address, "gops", name_0="ann", name_1="bob", bot_0="", option_cards="2")
    expect(host.get_by_role("heading", name="Your table is ready")).to_be_visible()
    host.wait_for_load_state()
    host.reload()
    return {
        name: str(host.get_by_role("link", name=name).evaluate("link => link.href"))
        for name in ("ann's", "bob's", "spectator page")
    }


def play_to_the_end(*windows: Page) -> None:
    """Give first answers in all windows until the match is over."""
    while any(page.locator("#match.over").count() == 0 for page in windows):
        for page in windows:
            if page.locator("#match.asked-now #dock:not(.sent)").count():
                give_first_answer(page)


def test_friends_see_who_is_there_and_play_again(pages: Pages) -> None:
    """Whoever plays again is told to the other and to those who watch, each with a link."""
    with serve_tables() as at:
        ann = pages.blank()
        links = invite(ann, at.address)
        ann.goto(links["ann's"])
        present = ann.locator("#present")
        expect(present).to_have_text("bob is not here yet")
        bob, eve = pages.blank(width=360), pages.blank()
        bob.goto(links["bob's"])
        eve.goto(links["spectator page"])
        expect(present).to_have_text("bob is here, 1 watching")
        expect(eve.locator("#present")).to_have_text("ann is here, bob is here, 1 watching")
        assert wait_for_question(bob)
        bob.set_viewport_size({"width": 360, "height": 740})
        for shown in ("#present", "#turn", "#asked", "#hand button >> nth=0"):
            expect(bob.locator(shown)).to_be_in_viewport()
        check_page_in_all_themes(bob)
        bob.goto("about:blank")
        expect(present).to_have_text("bob is away, 1 watching")
        bob.goto(links["bob's"])
        expect(present).to_have_text("bob is here, 1 watching")
        play_to_the_end(ann, bob)
        for page in (ann, bob, eve):
            check_end(page)
        ann.get_by_role("button", name="Swap seats").click()
        for page in (bob, eve):
            expect(page.locator("#again")).to_contain_text(
                "ann plays again, and all move on by one seat."
            )
        check_page_in_all_themes(bob)
        check_page_in_all_themes(eve)
        bob.get_by_role("link", name="Join").click()
        eve.get_by_role("link", name="Watch", exact=True).click()
        for page in (ann, bob):
            assert wait_for_question(page)
        expect(eve.locator("#turn")).to_have_text("In play")
        expect(ann.locator("#present")).to_have_text(re.compile("^bob is here"))
        bob.get_by_role("button", name="Leave the table").click()
        bob.get_by_role("button", name="Leave and lose").click()
        expect(ann.locator("#present")).to_have_text("bob has left, 1 watching")
        give_first_answer(ann)
        check_end(ann)
