"""Hints and the costs of answers on the page of a seat, as a person sees them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.requirements import require_solver
from tests.support.web.browser import Pages, check_page
from tests.support.web.seat_pages import (
    check_end,
    give_first_answer,
    open_table,
    play_on,
    press,
    serve_tables,
    sit_down,
    wait_for_question,
)

CARDS = 4


@pytest.fixture(autouse=True)
def _nothing_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a cache in which no other test has solved anything."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_a_hint_shows_the_probabilities_of_the_solution(pages: Pages) -> None:
    """It is off until asked for, ends with its question, and is no recommendation before."""
    require_solver()
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "gops", "easy", cards=CARDS)
        assert wait_for_question(page)
        expect(page.locator("#hinted")).to_be_empty()
        page.get_by_role("button", name="Show a hint").click()
        expect(page.locator("#hinted tbody tr")).to_have_count(CARDS)
        expect(page.locator("#hinted")).to_contain_text(
            "The exact solution: A perfect player varies the bid"
        )
        expect(page.locator("#hinted")).to_contain_text(
            re.compile(r"If both play perfectly, you have a chance to win of 50\s%\.")
        )
        shares = page.locator("#hinted tbody td:nth-child(3)").all_inner_texts()
        percents = [int(share.removesuffix("\u00a0%")) for share in shares]
        assert percents == sorted(percents, reverse=True)
        assert abs(sum(percents) - 100) <= CARDS
        give_first_answer(page)
        assert wait_for_question(page)
        expect(page.locator("#hinted")).to_be_empty()
        expect(page.get_by_role("button", name="Show a hint")).to_be_enabled()


def test_a_match_with_hints_is_marked_and_does_not_count(pages: Pages) -> None:
    """The same hint counts once; the end, the replay and who watches say that there was one."""
    require_solver()
    with serve_tables() as at:
        page = pages.blank()
        open_table(page, at.address, "gops", option_cards=str(CARDS))
        assert wait_for_question(page)
        watch = page.get_by_text("Spectator page").get_attribute("href")
        assert watch
        eve = pages.open(at.address + watch.removeprefix("../"))
        for _ in range(2):
            page.get_by_role("button", name="Show a hint").click()
            expect(page.locator("#hinted tbody tr")).to_have_count(CARDS)
            page.reload()
            assert wait_for_question(page)
        expect(eve.locator("#hint")).to_have_count(0)
        play_on(page)
        check_end(page)
        expect(page.locator("#ended-rows tr.you")).to_contain_text("· 1 hint")
        expect(page.locator("#streak")).to_have_text(re.compile("^You took 1 hint, so .*streak"))
        expect(eve.locator("#ended-rows")).to_contain_text("Player · 1 hint")
        page.get_by_role("link", name="Watch the replay").click()
        expect(page.get_by_text("You played with 1 hint.")).to_be_visible()
        page.locator(".board .zone").first.wait_for()  # all scripts have come


def test_what_each_answer_cost_is_told_after_the_match(pages: Pages) -> None:
    """The worst comes first, and each leads to its moment in the replay, which is not asked for."""
    require_solver()
    asked = list[str]()
    with serve_tables() as at:
        page = pages.blank()
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        sit_down(page, at, "gops", "easy", cards=CARDS)
        while wait_for_question(page):
            press(page.locator("#hand button").last)  # the highest card for any prize
        rows = page.locator("#costs tbody tr")
        page.get_by_text("What each of your answers cost").click()
        expect(rows).to_have_count(CARDS)
        assert not any(address.startswith("steps?") for address in asked)
        costs = [
            float(text) for text in page.locator("#costs tbody td:nth-child(2)").all_inner_texts()
        ]
        assert costs == sorted(costs, reverse=True)
        best = costs.count(0)
        expect(page.locator("#costs")).to_contain_text(f"{best} of your {CARDS} answers were best.")
        total = re.search(r"cost you ([\d.]+) points", page.locator("#costs").inner_text())
        assert total
        assert float(total[1]) == pytest.approx(sum(costs), abs=0.01 * CARDS)
        check_page(page)
        bid, prize = rows.first.locator("th a").inner_text().split(" for the ")
        rows.first.locator("th a").click()
        page.locator(".board .zone").first.wait_for()
        said = page.locator("[aria-current=step]")
        expect(said).to_contain_text(re.compile(rf"\b(bids|{bid if bid != 'A' else 'ace'})\b"))
        assert prize


def test_why_a_match_was_lost_is_told_at_its_end(pages: Pages) -> None:
    """Nobody has to ask: each moment leads to its step in the replay, which tells it as well."""
    with serve_tables() as at:
        page = pages.blank()
        held: list[Route] = []
        page.route("**/moments?*", lambda route: held.append(route))  # noqa: PLW0108  # Playwright marks it
        sit_down(page, at, "coup", "counter", "counter", "counter")
        play_on(page)
        status = page.locator("#review [role=status]")
        expect(status).to_have_text("Thinking about it: one moment…")
        while not held:  # the page asks once it has said so
            page.evaluate("0")
        held[0].continue_()
        page.unroute("**/moments?*")
        expect(status.locator("li")).to_have_count(1)  # is read out, too
        expect(status).to_contain_text(
            "Your answers that led to a loss, and others that cost you most:"
        )
        expect(page.get_by_role("heading", name="Why you did not win")).to_be_visible()
        costly, *_, end = page.locator("#review li").all()
        expect(costly).to_contain_text(
            re.compile(r"would have chosen .*, not |your chance to win would have been \d+\s%")
        )
        expect(end).to_contain_text(re.compile(r"Turn \d+, the end: .* You are out\."))
        expect(end).to_contain_text("You held the Contessa, so you could have blocked it.")
        leads = costly.locator("a")
        leads.click()
        where = page.locator(".where")
        expect(where).to_have_text(re.compile(r"^step \d+ of"))
        shown = where.inner_text()
        expect(page.locator(".said")).to_contain_text("You ")
        check_marked_moments(page)
        page.locator("#review li a").last.click()
        expect(page.locator(".said")).not_to_have_text("")
        expect(where).not_to_have_text(shown)


def check_marked_moments(page: Page) -> None:
    """See that the replay of a moment marks all, with words, and leads back to the review."""
    marks = page.locator(".marks .reviewed")
    expect(marks).to_have_count(page.locator("#review li").count())
    tip = page.locator(".marks .tip:visible")
    expect(tip).to_have_count(0)
    marks.last.hover()
    expect(tip).to_contain_text("You held the Contessa")
    slider = page.get_by_label("step", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r", moment of your review$"))
    page.get_by_role("link", name="Back to the review").click()
    expect(page.locator("#review")).to_be_focused()
    expect(page.get_by_role("heading", name="Why you did not win")).to_be_in_viewport()
    assert "#review" not in page.url


def test_a_bot_hints_at_the_first_cards_of_a_large_game(pages: Pages) -> None:
    """The page says which."""
    require_solver()
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "gops", "easy")
        assert wait_for_question(page)
        page.get_by_role("button", name="Show a hint").click()
        expect(page.locator("#hinted")).to_have_text(
            re.compile(r"^An expert bot: .* the opponent may well bid\.$")
        )  # nothing of the solution, and no command of the host


def test_the_level_of_a_bot_is_named_where_it_gives_the_hints(pages: Pages) -> None:
    """It is called by its level, as it is at the table, and cards have the signs of their suits."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "hearts", "low", "low", "low", deals=1)
        assert wait_for_question(page)
        page.get_by_role("button", name="Show a hint").click()
        expect(page.locator("#hinted")).to_contain_text("An expert bot: ")
        expect(page.locator("#hinted b")).to_have_text(re.compile(r"^(\w+[♣♦♥♠] ?){3}\. $"))
        expect(page.locator("#hinted")).to_contain_text(
            re.compile("may take tricks with others' points|discard points|low ones|Q♠")
        )
        expect(page.locator("#hand .hint-here[aria-description='the hint']")).to_have_count(3)
        for marked in page.locator("#hand .hint-here").all():
            press(marked)
        press(page.get_by_role("button", name="Pass 3 cards"))
        expect(page.locator(".hint-here")).to_have_count(0)


def test_a_slow_hint_says_so(pages: Pages) -> None:
    """The question can be answered meanwhile; where no card is meant, a button is marked."""
    with serve_tables() as at:
        page = pages.blank()
        held: list[Route] = []
        page.route("**/hint", lambda route: held.append(route))  # noqa: PLW0108  # Playwright marks it
        sit_down(page, at, "kuhn", "optimal")
        assert wait_for_question(page)
        page.get_by_role("button", name="Show a hint").click()
        expect(page.locator("#hinted")).to_contain_text("takes longer than a second")
        expect(page.locator("#controls button").first).to_be_enabled()
        (route,) = held
        route.continue_()
        expect(page.locator("#hinted tbody tr")).to_have_count(2)
        expect(page.locator("#controls .hint-here")).to_have_count(1)
        page.unroute("**/hint")


def test_a_hint_that_cannot_be_shown_can_be_asked_for_again(pages: Pages) -> None:
    """The button works on after an error."""
    pages.allowed.add("Reduce of empty array")
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "kuhn", "optimal")
        assert wait_for_question(page)
        page.route("**/hint", send_hint_without_answers)
        button = page.get_by_role("button", name="Show a hint")
        with page.expect_event("pageerror"):
            button.click()
        expect(button).to_be_enabled()
        page.unroute("**/hint")
        button.click()
        expect(page.locator("#hinted tbody tr")).to_have_count(2)


def send_hint_without_answers(route: Route) -> None:
    """Send the hint of the server, but none of its answers."""
    reply = route.fetch()
    route.fulfill(response=reply, json={**reply.json(), "answers": []})


def test_a_wrong_secret_gives_no_hints(pages: Pages) -> None:
    """Nobody else's secret gives hints anywhere."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "gops", "easy")
        assert wait_for_question(page)
        secret = next(iter(at.tables.places.values())).secrets[0]
        own = {"Sec-Fetch-Site": "same-origin"}
        assert page.request.post(f"{at.address}seat/{secret}x/hint", headers=own).status == 404
