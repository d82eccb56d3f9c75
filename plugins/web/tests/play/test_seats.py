"""A seat in the browser: whole games, by persons, as they would play them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from attrs import frozen
from playwright.sync_api import Locator, Page, expect

from arena.plugins import get_plugins
from arena.records import parse_lines, verify
from arena_web.app import build_application
from arena_web.play.setup_form import CLOCKS
from arena_web.play.tables import PlayTables
from arena_web.play.views import PlayViews
from arena_web.server import run_in_thread
from tests.support.web.browser import Pages, in_every_light
from tests.support.web.flaky_proxy import run_proxy

FREE = "#match.over, #match.asked-now #dock:not(.sent)"  # a question is open, or all is over


@frozen
class Place:
    """A server with tables."""

    address: str
    tables: PlayTables

    def transcript(self) -> str:
        """Return the transcript of the newest table."""
        return [*self.tables._tables.values()][-1].transcript


@contextmanager
def place() -> Iterator[Place]:
    """Serve tables; requests are not limited, since a test is faster than a person."""
    tables = PlayTables()
    seats = PlayViews(tables)
    app = build_application([*seats.root_routes, *seats.routes], limits={}, closing=[tables.close])
    with run_in_thread(app) as address:
        yield Place(address, tables)
    tables.join()


def set_table(page: Page, address: str, game: str, **fields: str) -> None:
    """Fill in the form of a game, and send it."""
    page.goto(f"{address}play?game={game}")
    for name, value in fields.items():
        field = page.locator(f"#{name.replace('_', '-', 1)}")
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name="Start match").click()


def press(button: Locator) -> None:
    """Click a card where it can be seen: others may lie over its middle."""
    button.click(position={"x": 5, "y": 20})


def asked(page: Page) -> bool:
    """Wait until there is a question, and say whether there is one, or the match is over."""
    page.locator(FREE).first.wait_for()
    return page.locator("#match.over").count() == 0


def answer(page: Page) -> None:
    """Answer the open question with what is offered first."""
    title = page.locator("#asked").inner_text()
    if page.locator("#typed").count():
        page.locator("#controls").get_by_role("button", name="Submit").click()
    elif page.locator("#controls .count").count():
        send = page.locator("#controls .primary")
        while send.is_disabled():
            press(page.locator("#dock button[aria-pressed=false]").first)
        send.click()
    else:
        press(page.locator("#dock button").first)
    assert title


def play_on(page: Page, most: int = 500) -> int:
    """Play to the end, or so many answers; return how many were given."""
    given = 0
    while given < most and asked(page):
        answer(page)
        given += 1
    return given


def see_end(page: Page) -> None:
    """See that the end says who won, and has the focus."""
    expect(page.locator("#ended-title")).to_have_text(
        # one of these, whatever has happened
        re.compile(r"(You (won|lost|tied|finished|share)|\w+ beats|.* tie\b).*\.")
    )
    expect(page.locator("#ended-title")).to_be_focused()


def test_a_game_of_gops_with_a_reload_in_the_middle(pages: Pages) -> None:
    """A click sets the table; a page that is loaded again shows all that it showed."""
    with place() as at:
        page = pages.open(f"{at.address}")
        in_every_light(page)
        page.get_by_role("button", name="Play against easy").first.click()
        assert play_on(page, 4) == 4
        assert asked(page)
        lines, hand = page.locator("#log li").count(), page.locator("#hand button").count()
        assert hand == 9
        page.reload()
        assert asked(page)
        expect(page.locator("#log li")).to_have_count(lines)
        expect(page.locator("#hand button")).to_have_count(hand)
        expect(page.locator("#turn")).to_have_text("Your turn")
        in_every_light(page)
        assert play_on(page) == 9
        see_end(page)
        expect(page.locator("#streak")).to_have_text(re.compile(r"^Against easy: \d won, \d lost"))
        streak = page.locator("#streak").inner_text()
        page.reload()
        expect(page.locator("#streak")).to_have_text(streak)  # a match is counted once
        in_every_light(page)
        verify(get_plugins().find_game("gops"), parse_lines(at.transcript().splitlines()))
        page.get_by_role("link", name="Watch the replay").click()
        page.locator(".board .zone").first.wait_for()
        page.go_back()
        page.get_by_role("button", name="Play again").click()
        assert asked(page)
        expect(page.locator("#hand button")).to_have_count(13)


def test_what_came_of_an_answer_is_seen_on_a_telephone(pages: Pages) -> None:
    """Who took the prize stands above the hand; on a desk the log is in sight, which says so."""
    with place() as at:
        page = pages.blank(width=360)
        page.goto(at.address)
        page.get_by_role("button", name="Play against easy").first.click()
        told = page.locator("#told")
        while asked(page) and not told.inner_text():  # a tie is nobody's
            answer(page)
        said = re.compile(r"^\w+ bids? the \w+ and takes? the \w+; \w+ bids? the \w+\.$")
        expect(told).to_have_text(said)
        expect(told).to_be_in_viewport()
        page.reload()
        expect(told).to_have_text(said)
        page.set_viewport_size({"width": 1200, "height": 900})
        expect(told).to_be_hidden()


def test_a_game_of_bs_on_a_telephone(pages: Pages) -> None:
    """Names are typed, cards are chosen and sent together; hand and turn are seen at once."""
    with place() as at:
        page = pages.blank(width=360)
        page.set_viewport_size({"width": 360, "height": 740})
        set_table(page, at.address, "bs", name_0="ann", bot_1="", bot_2="", option_max_turns="12")
        assert asked(page)
        page.locator("#typed").fill("no name!")
        answer(page)
        expect(page.locator("#no")).to_contain_text("Not allowed")
        page.locator("#typed").fill("ann")
        answer(page)
        while asked(page) and not page.locator("#controls .count").count():
            answer(page)
        for shown in ("#turn", "#asked", "#hand .card >> nth=0", "#hand .card >> nth=-1"):
            expect(page.locator(shown)).to_be_in_viewport()
        expect(page.locator("#controls .primary")).to_be_disabled()
        in_every_light(page)
        page.set_viewport_size({"width": 360, "height": 740})
        chosen = page.locator("#dock button.card")
        for at_once in range(4):  # neighbours: none that is up lies over the next one's corner
            press(chosen.nth(at_once))
        expect(page.locator("#controls .count")).to_have_text(re.compile("4 of"))
        for at_once in range(4):
            press(chosen.nth(at_once))
        expect(page.locator("#controls .count")).to_have_text(re.compile("0 of"))
        play_on(page)
        see_end(page)
        verify(get_plugins().find_game("bs"), parse_lines(at.transcript().splitlines()))


def test_a_deal_of_hearts(pages: Pages) -> None:
    """Three cards are passed, and only those that may be played are buttons."""
    with place() as at:
        page = pages.blank()
        set_table(page, at.address, "hearts", option_deals="1", clock="2 minutes")
        assert asked(page)
        expect(page.locator("#clock")).to_contain_text("left")
        expect(page.locator("#controls .count")).to_have_text("0 of 3 selected")
        answer(page)
        assert asked(page)
        expect(page.locator("#controls .count")).to_have_count(0)
        in_every_light(page)
        play_on(page)
        see_end(page)
        verify(get_plugins().find_game("hearts"), parse_lines(at.transcript().splitlines()))


def test_a_game_without_a_board_by_keyboard_alone(pages: Pages) -> None:
    """The question has the focus when it comes; arrows and Enter do the rest."""
    with place() as at:
        page = pages.open(f"{at.address}play")
        page.get_by_role("button", name="Play against optimal").focus()
        page.keyboard.press("Enter")
        while asked(page):
            expect(page.locator("#asked")).to_be_focused()
            number = page.locator("#log li").count()
            page.keyboard.press("ArrowRight")
            expect(page.locator("#controls button").first).to_be_focused()
            page.keyboard.press("ArrowRight")
            expect(page.locator("#controls button").nth(1)).to_be_focused()
            page.keyboard.press("Enter")
            page.locator(f"#log li:nth-child({number + 1})").wait_for(state="attached")
        see_end(page)
        in_every_light(page)
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Play again")).to_be_focused()
        page.keyboard.press("Enter")
        assert asked(page)


def test_two_persons_at_one_table_and_one_who_watches(pages: Pages) -> None:
    """Each has a link and a hand; the match waits for both; who watches sees neither hand."""
    with place() as at:
        host = pages.blank()
        host.goto(f"{at.address}play?game=bs")
        host.locator("summary", has_text="Other people").click()
        host.locator("#name-0").fill("ann")
        host.locator("#name-1").fill("bob")
        host.locator("#option-max_turns").fill("6")
        host.get_by_role("button", name="Start match").click()
        in_every_light(host)
        links = {
            name: host.get_by_role("link", name=name).get_attribute("href")
            for name in ("ann's", "bob's", "spectator page")
        }
        ann, bob, eve = (pages.open(f"{at.address}{link}") for link in links.values())
        windows = [ann, bob]
        while any(page.locator("#match.over").count() == 0 for page in windows):
            for page in windows:
                if page.locator("#match.asked-now #dock:not(.sent)").count():
                    answer(page)
        for page in (ann, bob, eve):
            see_end(page)
        expect(eve.locator(".board .hand .card:not(.back)")).to_have_count(0)
        in_every_light(eve)
        ann.get_by_role("button", name="Play again").click()
        bob.get_by_role("button", name="Play again").click()
        assert asked(ann)
        assert asked(bob)


def test_who_was_cut_off_sees_what_came_meanwhile(pages: Pages) -> None:
    """The page says that the connection is lost, and goes on by itself when it is there again."""
    pages.allowed |= {"ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING"}
    pages.allowed |= {"ERR_CONNECTION", "ERR_INVALID_CHUNKED_ENCODING"}
    with place() as at, run_proxy(at.address) as line:
        ann = pages.open(at.address)
        ann.get_by_role("button", name="Play against easy").first.click()
        assert asked(ann)
        watch = ann.get_by_role("link", name="Spectator page").get_attribute("href")
        assert watch
        eve = pages.open(line.address + watch.removeprefix("../"))
        play_on(ann, 2)
        expect(eve.locator("#log")).to_contain_text("Round 3")
        line.cut()
        expect(eve.locator("#connection")).to_contain_text("Connection lost")
        play_on(ann, 3)
        assert asked(ann)
        line.mend()
        expect(eve.locator("#log")).to_contain_text("Round 6")
        expect(eve.locator("#connection")).to_be_empty()
        said = eve.locator("#log li").all_inner_texts()
        rounds = [text.split()[1] for text in said if text.startswith("Round ")]
        assert rounds == [*"123456"]


def test_who_runs_out_of_time_is_told_so(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host decides that, and the page says it; here the seconds are fewer."""
    monkeypatch.setitem(CLOCKS, "10 seconds", 0.5)
    with place() as at:
        page = pages.blank()
        set_table(page, at.address, "gops", clock="10 seconds")
        page.locator("#match.over").wait_for()
        see_end(page)
        expect(page.locator("#log")).to_contain_text("Your time has run out.")
        expect(page.locator("#ended-rows tr.you")).to_contain_text("timeout")
