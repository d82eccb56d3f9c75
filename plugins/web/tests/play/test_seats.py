"""A seat in the browser: whole games, by persons, as they would play them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
from attrs import evolve, frozen
from playwright.sync_api import Route, expect

from arena import Narrator, Question, SomeOf, Table
from arena.host import parse_entrants
from arena.plugins import get_plugins
from arena.records import parse_lines, verify
from arena_web.play.setup_requests import parse_setup
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import TableTerms
from tests.support.toys import TOY, Toy, change
from tests.support.web.browser import Pages, check_page, check_page_in_all_themes
from tests.support.web.flaky_proxy import run_proxy
from tests.support.web.seat_pages import (
    check_end,
    give_first_answer,
    open_seat,
    play_on,
    press,
    serve_tables,
    sit_down,
    wait_for_question,
)
from tests.testing.games.openly import AUCTION, Auction

RANKS = 13
LOST = "Connection lost: you can answer once it is back. Trying again…"
CLICK_THE_NEXT_QUESTION = """(selector) => {
  const dock = document.getElementById("dock");
  new MutationObserver((_, observer) => {
    if (!dock.classList.contains("unread")) return;
    observer.disconnect();
    const button = dock.querySelector(selector);
    for (const kind of ["mousedown", "click"])
      button.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true, detail: 1}));
  }).observe(dock, {attributes: true});
}"""
"""Clicks a button in the moment in which the next question is shown."""


def test_a_game_of_gops_with_a_reload_in_the_middle(pages: Pages) -> None:
    """A click sets the table; a page that is loaded again shows all that it showed."""
    with serve_tables() as at:
        page = pages.open(f"{at.address}play?game=gops")
        check_page_in_all_themes(page)
        page.get_by_text("More opponents").click()
        page.get_by_role("button", name="Play against Hard bot").first.click()
        assert play_on(page, 4) == 4
        assert wait_for_question(page)
        lines, hand = page.locator("#log li").count(), page.locator("#hand button").count()
        assert hand == 9
        page.reload()
        assert wait_for_question(page)
        expect(page.locator("#log li")).to_have_count(lines)
        expect(page.locator("#hand button")).to_have_count(hand)
        expect(page.locator("#turn")).to_have_text("Your turn")
        assert play_on(page) == 9
        check_end(page)
        expect(page.locator("#streak")).to_have_text(
            re.compile(r"^Against Hard bot: \d won, \d lost")
        )
        streak = page.locator("#streak").inner_text()
        page.reload()
        expect(page.locator("#streak")).to_have_text(streak)  # a match is counted once
        page.get_by_role("link", name="Watch the replay").click()
        page.locator(".board .zone").first.wait_for()
        page.go_back()
        page.get_by_role("button", name="Play again").click()
        assert wait_for_question(page)
        expect(page.locator("#hand button")).to_have_count(13)


def test_a_key_goes_to_the_card_that_begins_with_it(pages: Pages) -> None:
    """From the question, as in a list; Enter plays it, and with Control a key is the browser's."""
    with serve_tables() as at:
        page = pages.open(f"{at.address}play?game=hearts")
        page.get_by_role("button", name=re.compile("^Play against")).first.click()
        assert wait_for_question(page)
        cards = page.locator("#hand button")
        held = [str(cards.nth(index).get_attribute("data-card")) for index in range(13)]
        focused = page.locator("#hand button:focus")
        for key in dict.fromkeys(card[0] for card in held):
            of_rank = [card for card in held if card[0] == key]
            for card in (*of_rank, of_rank[0]):
                page.keyboard.press(key.lower().replace("t", "1"))
                expect(focused).to_have_attribute("data-card", card)
        page.keyboard.press("Control+x")
        suit = held[-1][1]
        page.keyboard.press(suit.lower())
        expect(focused).to_have_attribute("data-card", re.compile(f"{suit}$"))


ANSWER = ":is(#hand button, #controls button:enabled)"
FIND_CHARACTER = """button =>
  (button.ariaLabel ?? (button.querySelector(".hidden") ?? button).textContent).trim()[0].toLowerCase()"""
"""The character with which the name of a button begins."""


@pytest.mark.parametrize(
    ("game", "bots"),
    [("gops", 1), ("hearts", 3), ("bs", 2), ("coup", 1), ("kuhn", 1), ("briscola", 1)],
)
def test_keys_choose_wherever_the_focus_is(pages: Pages, game: str, bots: int) -> None:
    """After a click on a hint, the menu, the log or nothing; not in a menu that is open."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, game, *["random"] * bots)
        assert wait_for_question(page)
        key = page.locator(ANSWER).first.evaluate(FIND_CHARACTER)
        focused = page.locator(f"{ANSWER}:focus")
        for part in ("#hint", ".to-menu", "h1", "#log"):
            page.locator(part).click()
            if part == "#hint":
                expect(page.locator("#hinted")).not_to_be_empty()
            if part == ".to-menu":
                for inside in ("#confirm", "#sounds", "#leave"):
                    page.locator(inside).focus()
                    page.keyboard.press(key)
                    page.keyboard.press("ArrowRight")
                    expect(page.locator(inside)).to_be_focused()
                page.keyboard.press("Escape")
                expect(page.locator("#menu")).to_be_hidden()
            page.keyboard.press(f"Alt+{key}")
            expect(focused).to_have_count(0)
            page.keyboard.press(key)
            expect(focused).to_have_count(1)
            assert focused.evaluate(FIND_CHARACTER) == key
        page.locator("h1").click()
        page.keyboard.press("ArrowRight")
        expect(page.locator(ANSWER).first).to_be_focused()


def test_what_is_typed_stays_in_its_field(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digits there choose nothing, and arrows move within it."""
    monkeypatch.setitem(get_plugins().games, AUCTION.name, AUCTION)
    setup = TableSetup(
        AUCTION,
        Auction(),
        parse_entrants(AUCTION, ["random"]),
        terms=TableTerms(persons=("ann",), clock=600),
    )
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, setup)
        assert wait_for_question(page)
        page.locator("#typed").click()
        for key in ("End", "1", "ArrowLeft", "2"):
            page.keyboard.press(key)
        expect(page.locator("#typed")).to_be_focused()
        expect(page.locator("#typed")).to_have_value("021")


def test_a_first_match_has_tips_until_they_are_turned_off(pages: Pages) -> None:
    """Each once, when its question comes; the browser remembers who wants none, and who has played."""
    with serve_tables() as at:
        page = pages.open(f"{at.address}play?game=gops")
        tip = page.locator("#told")

        def begin() -> None:
            page.get_by_role("button", name=re.compile("^Play against")).first.click()
            assert wait_for_question(page)

        begin()
        expect(tip).to_contain_text("The highest bid takes the prize")
        expect(tip).to_be_visible()
        expect(page.locator("#say")).to_contain_text("The highest bid takes the prize")
        give_first_answer(page)
        expect(tip).to_contain_text("All began with the same cards")
        give_first_answer(page)
        expect(tip.locator(".tip")).to_have_count(0)
        page.goto(f"{at.address}play?game=coup")
        begin()
        expect(tip.locator(".tip")).to_have_count(1)
        page.get_by_role("button", name="Rules & menu").click()
        page.get_by_label("Tips in my first match").uncheck()
        expect(tip.locator(".tip")).to_have_count(0)
        page.goto(f"{at.address}play?game=bs")
        begin()
        expect(tip.locator(".tip")).to_have_count(0)
        page.get_by_role("button", name="Rules & menu").click()
        page.get_by_label("Tips in my first match").check()
        page.goto(f"{at.address}play?game=kuhn")
        begin()
        expect(tip.locator(".tip")).to_have_count(1)
        play_on(page)
        page.get_by_role("button", name="Next hand").click()
        assert wait_for_question(page)
        expect(page.get_by_label("Tips in my first match")).to_have_count(0)


def test_what_cannot_be_chosen_says_why(pages: Pages) -> None:
    """It stands beside the answers, with its reason as a part of its name, and no key leads there."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "coup", "honest")
        assert wait_for_question(page)
        for name in ("Assassinate needs 3 coins", "Coup needs 7 coins"):
            expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
        allowed = page.locator("#controls button:enabled")
        for _ in range(allowed.count()):
            page.keyboard.press("ArrowRight")
            expect(page.locator("#controls button:enabled:focus")).to_have_count(1)
        page.keyboard.press("c")
        expect(page.locator("#controls .closed:focus")).to_have_count(0)
        check_page(page)


def test_a_double_click_plays_one_card(pages: Pages) -> None:
    """Its second click, and one on a question that nobody can have read, answer nothing."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "gops", "easy")
        hand, no = page.locator("#hand button"), page.locator("#no")
        wait_for_question(page)
        press(hand.first)
        expect(hand).to_have_count(12)
        page.locator("#dock:not(.unread)").wait_for()
        before = hand.first.bounding_box()
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        expect(no).to_contain_text("does not count")
        expect(no).to_be_in_viewport(ratio=1)
        assert hand.first.bounding_box() == before  # nothing moves under the pointer
        no.evaluate("(no) => no.getAnimations().forEach((leaving) => leaving.finish())")
        expect(no).to_be_hidden()  # it covers what is there for seconds only
        expect(hand).to_have_count(12)
        page.evaluate(CLICK_THE_NEXT_QUESTION, "#hand button")
        press(hand.first)
        expect(no).to_contain_text("does not count")
        expect(hand).to_have_count(11)
        press(hand.first)
        expect(hand).to_have_count(10)
        expect(no).to_be_empty()


@frozen
class TakeSome(Question[Any]):
    """Which numbers?"""

    options: SomeOf[int]


class LastingFirst(Narrator):
    """Lets a person take the first number at later questions, too."""

    def list_standing_answers(self, question: Question[Any]) -> Mapping[str, Any]:
        """Return the first number, which is always there."""
        return {"Take the first from now on": (1,)}


async def take_twice(table: Table) -> None:
    """Ask for some of three numbers, and once more."""
    for _ in range(2):
        await table.ask(0, TakeSome(SomeOf((1, 2, 3), 1, 2)))


def test_an_answer_that_stands_is_not_given_by_an_early_click(pages: Pages) -> None:
    """At a question for several cards, too, where early clicks on cards count, as they only select."""
    toy = change(TOY, messages=(*TOY.messages, TakeSome), narrator=LastingFirst)
    setup = parse_setup("kuhn", ["random"], (), "5")
    assert setup
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, evolve(setup, game=toy, variant=Toy((take_twice,))), first_seat=0)
        assert wait_for_question(page)
        page.evaluate(CLICK_THE_NEXT_QUESTION, ".stands button")
        press(page.get_by_role("button", name="2", exact=True))
        press(page.get_by_role("button", name="Choose 1"))
        expect(page.locator("#no")).to_contain_text("does not count")
        expect(page.locator("#standing")).to_be_hidden()


def test_one_card_too_many_takes_the_place_of_the_first(pages: Pages) -> None:
    """Never more than the game asks for are selected; those that are received stand out."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "hearts", "low", "low", "low")
        assert wait_for_question(page)
        cards = page.locator("#hand button")
        for place, selected in ((0, [0]), (1, [0, 1]), (2, [0, 1, 2]), (5, [1, 2, 5]), (2, [1, 5])):
            cards.nth(place).click()
            states = cards.evaluate_all("cards => cards.map((card) => card.ariaPressed)")
            assert [place for place, state in enumerate(states) if state == "true"] == selected
        send = page.get_by_role("button", name="Pass 3 cards")
        expect(send).to_be_disabled()
        cards.nth(0).click()
        send.click()
        expect(page.locator("#hand .received")).to_have_count(3)
        check_page(page)


def test_an_answer_is_confirmed_on_a_touch_screen(pages: Pages) -> None:
    """It can be exchanged and taken back until a second tap, a key or a button sends it."""
    with serve_tables() as at:
        page = pages.blank(width=360, touch=True)
        sit_down(page, at, "gops", "easy")
        hand, chosen = page.locator("#hand button"), page.locator("#dock button[aria-pressed=true]")
        assert wait_for_question(page)
        page.locator("#dock:not(.unread)").wait_for()
        for card in (3, 5):
            hand.nth(card).dblclick()
            expect(chosen).to_have_count(1)
            page.get_by_role("button", name=f"Confirm {card + 1} of clubs").wait_for()
        page.get_by_role("button", name="Take back").click()
        expect(chosen).to_have_count(0)
        for left, again in ((12, "click"), (11, "Enter"), (10, "Confirm")):
            press(hand.last)
            expect(chosen).to_have_count(1)
            if again == "click":
                press(hand.last)
            elif again == "Enter":
                page.keyboard.press("Enter")
            else:
                page.get_by_role("button", name="Confirm").click()
            expect(hand).to_have_count(left)
        page.get_by_role("button", name="menu").click()
        page.get_by_label("Confirm answers").select_option("never")
        page.reload()
        press(hand.last)
        expect(hand).to_have_count(9)


def test_the_way_to_confirm_changes_with_the_next_question(pages: Pages) -> None:
    """Who changes it while an answer is on its way, and refused, answers as before."""
    pages.allowed.add("503 (Service Unavailable)")
    with serve_tables() as at:
        page = pages.blank(width=360, touch=True)
        held: list[Route] = []
        page.route("**/answer", lambda route: held.append(route), times=1)  # noqa: PLW0108  # Playwright marks it
        sit_down(page, at, "gops", "easy")
        hand = page.locator("#hand button")
        assert wait_for_question(page)
        page.evaluate("localStorage['arena-confirm'] = 'never'")
        page.reload()
        assert wait_for_question(page)
        cards = hand.count()
        press(hand.last)
        while not held:
            page.evaluate("0")
        page.get_by_role("button", name="menu").click()
        page.get_by_label("Confirm answers").select_option("always")
        held[0].fulfill(status=503)
        page.get_by_text("The server did not accept the answer").wait_for()
        page.keyboard.press("Escape")
        press(hand.last)
        expect(hand).to_have_count(cards - 1)


def test_what_came_of_an_answer_is_seen_on_a_telephone(pages: Pages) -> None:
    """What led to the question stands above the hand; on a desk the log is in sight."""
    with serve_tables() as at:
        page = pages.blank(width=360)
        sit_down(page, at, "gops", "easy")
        told = page.locator("#told")
        play_on(page, 1)
        assert wait_for_question(page)
        said = re.compile(r"^.+ bids? the \w+ and .*\. Points: .* \d+\.$")
        expect(told).to_have_text(said)
        expect(told).to_be_in_viewport()
        page.reload()
        expect(told).to_have_text(said)
        page.set_viewport_size({"width": 1200, "height": 900})
        expect(told.locator("> .tip")).to_be_visible()
        for news in told.locator("> span:not(.tip)").all():
            expect(news).to_be_hidden()


def test_a_game_of_bs_on_a_telephone(pages: Pages) -> None:
    """Cards are sent together; hand and turn are seen at once."""
    with serve_tables() as at:
        page = pages.blank(width=360)
        page.set_viewport_size({"width": 360, "height": 740})
        sit_down(page, at, "bs", "honest", "honest")
        while wait_for_question(page) and not page.locator("#controls .count").count():
            give_first_answer(page)
        for shown in ("#turn", "#asked", "#hand .card >> nth=0", "#hand .card >> nth=-1"):
            expect(page.locator(shown)).to_be_in_viewport()
        expect(page.locator("#controls .primary")).to_be_disabled()
        chosen = page.locator("#dock button.card")
        for at_once in range(4):  # neighbours: none that is up lies over the next one's corner
            press(chosen.nth(at_once))
        expect(page.locator("#controls .count")).to_have_text("4 selected")
        for at_once in range(4):
            press(chosen.nth(at_once))
        expect(page.locator("#controls .count")).to_have_text(re.compile("^1 to .* cards"))
        expect(page.locator("#controls > .primary")).to_have_text("Select cards")


def test_the_end_of_bs_is_seen_at_a_glance(pages: Pages) -> None:
    """The last cards lie open, and large hands are a few small cards, each of them a rank."""
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1200, "height": 800})
        sit_down(page, at, "bs", "counter")
        play_on(page)
        expect(page.locator("#ended-title")).to_have_text(re.compile("^You lost"))
        last = page.locator("#board [data-zone=claim]")
        assert last.locator(".card.back").count() == 0
        assert last.locator(".card").count() > 0
        hands = page.locator("#board .zone.hand").all()
        assert any(re.search(r"\d\d\scards", hand.inner_text()) for hand in hands)
        for hand in hands:
            assert hand.locator(".card, .chip").count() <= RANKS
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.locator("#board").evaluate("(board) => board.offsetHeight") < 740
        check_page(page)


def test_a_seat_in_two_windows(pages: Pages) -> None:
    """What one answers is closed in the other, and an answer that comes too late is said to be so."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "gops", "easy")
        assert wait_for_question(page)
        other = pages.blank(script=KEEP_THE_STREAM)
        other.goto(page.url)
        assert wait_for_question(other)
        press(page.locator("#hand button").nth(6))
        for window in (page, other):
            expect(window.locator("#hand button")).to_have_count(12)
        other.evaluate("stream.close()")
        press(page.locator("#hand button").nth(6))
        expect(page.locator("#hand button")).to_have_count(11)
        pages.allowed.add("409 (Conflict)")
        press(other.locator("#hand button").first)
        expect(other.locator("#log")).to_contain_text("closed before your answer came")
        other.reload()
        assert wait_for_question(other)
        for window in (page, other):
            expect(window.locator("#hand button")).to_have_count(11)


KEEP_THE_STREAM = """
window.EventSource = class extends EventSource {
  constructor(address) { super(address); window.stream = this; }
};
"""


def test_a_pass_may_stand_and_is_taken_back_in_another_window(pages: Pages) -> None:
    """The seat passes unasked, also after a reload, until a window of it takes that back."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "bs", "honest", "honest", max_turns=40)
        standing, title = page.locator("#standing"), page.locator("#asked")
        while wait_for_question(page) and "call BS" not in title.inner_text():
            give_first_answer(page)
        page.get_by_role("button", name="Pass unless").press("Enter")
        expect(page.locator("#controls .count")).to_be_visible()
        expect(standing).to_contain_text("Pass unless my cards prove a lie or someone would win")
        expect(standing.get_by_text("At other questions:")).to_be_visible()
        expect(standing.get_by_text("Answered ahead:")).to_be_hidden()
        check_page(page)
        page.reload()
        expect(standing).to_be_visible()
        other = pages.open(page.url)
        other.get_by_role("button", name="Ask me again").click()
        expect(standing).to_be_hidden()
        give_first_answer(page)
        while wait_for_question(page) and "call BS" not in title.inner_text():
            give_first_answer(page)
        expect(title).to_contain_text("Do you call BS?")


def test_a_number_is_typed_within_its_limits(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The field has the limits and sends nothing beyond them; bids stand in the replay."""
    monkeypatch.setitem(get_plugins().games, AUCTION.name, AUCTION)
    setup = TableSetup(
        AUCTION,
        Auction(),
        parse_entrants(AUCTION, ["random"]),
        terms=TableTerms(persons=("ann",), clock=600),
    )
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, setup)
        assert wait_for_question(page)
        expect(page.locator("#clock")).to_contain_text("left")
        expect(page.get_by_label("a whole number from 0 to 1000000")).to_have_value("0")
        submit = page.locator("#controls").get_by_role("button", name="Submit")
        for refused in ("1000001", "-1", "2.5", ""):
            page.locator("#typed").fill(refused)
            press(submit)
            assert page.locator("#typed:invalid").count() == 1
        check_page(page)
        page.locator("#typed").fill("250000")
        press(submit)
        expect(page.locator("#typed")).to_have_value("0")  # of the next question
        page.locator("#typed").fill("1000000")
        page.keyboard.press("Enter")
        check_end(page)
        verify(AUCTION, parse_lines(at.transcript().splitlines()))
        page.get_by_role("link", name="Watch the replay").click()
        expect(page.locator("#log, .replay").first).to_contain_text("You answer: 250000")


def test_who_was_cut_off_sees_what_came_meanwhile(pages: Pages) -> None:
    """The page says that the connection is lost, and goes on by itself when it is there again."""
    pages.allowed |= {"ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING"}
    pages.allowed |= {"ERR_CONNECTION", "ERR_SOCKET", "ERR_INVALID_CHUNKED_ENCODING"}
    with serve_tables() as at, run_proxy(at.address) as line:
        ann = pages.blank()
        sit_down(ann, at, "gops", "easy")
        assert wait_for_question(ann)
        watch = ann.get_by_text("Spectator page").get_attribute("href")
        assert watch
        eve = pages.open(line.address + watch.removeprefix("../"))
        play_on(ann, 2)
        expect(eve.locator("#log")).to_contain_text("Round 3")
        line.cut()
        expect(eve.locator("#connection")).to_contain_text("Connection lost")
        play_on(ann, 3)
        assert wait_for_question(ann)
        for offline in (True, False):
            ann.context.set_offline(offline)
            expect(ann.locator("#connection")).to_have_text(LOST if offline else "")
            expect(ann.locator("#hand button").first).to_be_enabled(enabled=not offline)
        line.mend()
        expect(eve.locator("#log")).to_contain_text("Round 6")
        expect(eve.locator("#connection")).to_be_empty()
        said = eve.locator("#log li").all_inner_texts()
        rounds = [text.split()[1] for text in said if text.startswith("Round ")]
        assert rounds == [*"123456"]


def test_a_table_that_was_not_kept_is_closed(pages: Pages) -> None:
    """Nothing can be answered then, and the page says why."""
    pages.allowed |= {"ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING", "404 (Not Found)"}
    pages.allowed |= {"ERR_CONNECTION", "ERR_INVALID_CHUNKED_ENCODING"}
    with serve_tables() as at, serve_tables() as later, run_proxy(at.address) as line:
        page = pages.blank()
        sit_down(page, evolve(at, address=line.address), "gops", "easy")
        assert wait_for_question(page)
        line.cut()
        line.there = urlsplit(later.address)
        line.mend()
        expect(page.locator("#connection")).to_contain_text("no longer has this table")
        expect(page.locator("#turn")).to_have_text("This table is closed")
        expect(page.locator("#dock button:visible")).to_have_count(0)


def test_who_runs_out_of_time_is_told_so(pages: Pages) -> None:
    """The page says which answer counted, and that the seat is lost; then it is a spectator's."""
    setup = parse_setup("gops", ["easy", "easy"], ["cards=5"], "5")
    assert setup
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, evolve(setup, terms=evolve(setup.terms, clock=0.5)))
        page.locator("#match.over").wait_for()
        check_end(page)
        late = page.locator(
            "#log li.lost", has_text="Your time ran out, so this counts as your answer:"
        )
        expect(late).to_have_count(2)
        expect(page.locator("#log")).to_contain_text(
            "Your time has run out 3 times in a row. A bot plays on for you."
        )
        expect(page.locator("#hand")).to_be_empty()
        rounds = page.locator("#log li.heading").all_inner_texts()
        assert [text.split()[1] for text in rounds] == [*"12345"]
        expect(page.locator("#ended-rows tr.you")).to_contain_text("timeout")


@pytest.mark.parametrize(
    ("options", "after"), [({"deals": 1}, "Next deal"), ({"limit": 1}, "Play again")]
)
def test_a_match_that_was_not_meant_to_be_one_deal_is_played_again(
    pages: Pages, options: dict[str, int], after: str
) -> None:
    """Only a match of one deal by its settings is followed by the next deal."""
    with serve_tables() as at:
        page = pages.blank(script="try { localStorage['arena-pace'] = 'fast'; } catch {}")
        sit_down(page, at, "hearts", "random", "random", "random", **options)
        play_on(page)
        expect(page.locator(".then button.primary:visible")).to_have_text(after)
