"""The page on which one chooses a game, in a browser."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from arena_web.play.store.stored_tables import PersonResult, StoredResult
from arena_web.protocol.messages import SeatOutcome
from tests.support.web.browser import Pages, check_page_in_all_themes
from tests.support.web.seat_pages import play_on, serve_tables, wait_for_question
from tests.support.web.seat_players import find_match

RECORD_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => shifts.push(...list.getEntries().map((entry) => [entry.value,
  ...entry.sources.map(({ node }) => node && node.className)])))
  .observe({ type: "layout-shift", buffered: true });
"""
BACK_SIZE = """(picture) => {
  const back = getComputedStyle(picture, "::before");
  return [parseFloat(back.width), parseFloat(back.height)];
}"""
FINGER = 32  # pixels
WON = StoredResult(
    (1, 2), (9, 0), {}, (PersonResult.of("You won.", SeatOutcome.WON, {"planner": [1]}),)
)


def test_one_click_begins_a_game_against_whoever_fits(pages: Pages) -> None:
    """Its button is in sight; pictures move nothing; who wins twice is offered the next level."""
    with serve_tables() as at:
        page = pages.blank(script=RECORD_SHIFTS)
        page.goto(at.address)
        expect(page.locator("[data-sample] .card").first).to_be_visible()
        for picture in page.locator("[data-picture]").all():
            expect(picture.locator(".zone").first).to_be_visible()
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        assert page.evaluate("shifts") == []
        check_page_in_all_themes(page)
        page.set_viewport_size({"width": 360, "height": 740})
        check_tiles_on_a_telephone(page)
        expect(page.locator(".sample .others > *")).to_have_count(3)
        expect(page.locator(".sample .others[tabindex]")).to_have_count(0)  # all are in sight
        page.set_viewport_size({"width": 1200, "height": 800})
        for tile in page.locator(".game").all():
            expect(tile).to_be_in_viewport(ratio=1)
        expect(page.locator("[data-first=bs]")).to_contain_text("against 3 easy bots")
        button = page.locator("[data-first=gops]")
        for _ in range(2):
            expect(button).to_have_text("Play GOPS against an easy bot")
            button.click()
            assert wait_for_question(page)
            expect(page.locator(".against")).to_have_text("against Easy bot")
            expect(page.locator("#board")).to_contain_text("Easy bot")
            table = find_match(at.tables, [*at.tables.places][-1])
            at.tables.store.tables.finish(table.key, WON, "")
            page.goto(at.address)
        expect(button).to_have_text("Play GOPS against a medium bot")
        page.goto(f"{at.address}play?game=gops")
        easy = page.locator("li").filter(
            has=page.get_by_role("button", name="Play against Easy bot")
        )
        expect(easy.locator(".streak")).to_have_text("2 won, 0 lost; 2 wins in a row")


def test_pictures_show_cards_before_they_are_loaded(pages: Pages) -> None:
    """Until the server has sent the faces, and where it has none, cards lie there face down."""
    with serve_tables() as at:
        page = pages.blank()
        page.route("**/play/samples", lambda route: route.fulfill(json={}))
        page.goto(at.address)
        pictures = page.locator("[data-picture]")
        assert pictures.count() > 1
        for picture in pictures.all():
            width, height = picture.evaluate(BACK_SIZE)
            assert 0 < width < height


def test_what_is_not_there_yet_says_so(pages: Pages) -> None:
    """The title and cards face down are there, and a sentence: of waiting, or of a failure."""
    pages.allowed.add("503 (Service Unavailable)")
    with serve_tables() as at:
        page = pages.blank()
        held: list[Route] = []
        page.route("**/play/samples", lambda route: held.append(route))  # noqa: PLW0108  # Playwright marks it
        page.goto(f"{at.address}play?game=kuhn")
        sample = page.locator(".sample")
        expect(sample.get_by_role("heading", name="Bots play Kuhn poker")).to_be_visible()
        expect(sample.get_by_role("status")).to_contain_text("One moment")
        expect(sample.get_by_role("button")).to_be_hidden()
        width, height = sample.locator(".shown").evaluate(BACK_SIZE)
        assert 0 < width < height
        check_page_in_all_themes(page)
        while not held:  # the page asks in its own time
            page.evaluate("0")
        held[0].fulfill(status=503)
        expect(sample.get_by_role("status")).to_contain_text("Load this page again")
        page.unroute("**/play/samples")
        page.route("**/play/samples", lambda route: route.fulfill(json={}))
        page.reload()
        expect(sample).to_be_hidden()


COUNT_CHANGES = """
window.changes = 0;
new MutationObserver(() => { window.changes += 1; }).observe(
  document.querySelector(".sample"), { subtree: true, childList: true, attributes: true });
"""


def test_a_sample_rests_on_a_page_that_nobody_sees(pages: Pages) -> None:
    """A hidden page draws nothing, and the sample goes on once it is seen again."""
    with serve_tables() as at:
        page = pages.blank()
        page.clock.install()
        page.goto(f"{at.address}play?game=kuhn")
        sample = page.locator(".sample")
        sample.get_by_role("button", name="Watch").click()
        page.evaluate(COUNT_CHANGES)
        page.evaluate("Object.defineProperty(document, 'hidden', { value: true, writable: true })")
        page.clock.run_for(20_000)
        assert page.evaluate("changes") == 0
        page.evaluate("document.hidden = false")
        page.clock.run_for(20_000)
        assert page.evaluate("changes") > 0


def check_tiles_on_a_telephone(page: Page) -> None:
    """Each tile says what the game is and against whom, in two screens, with links for fingers."""
    for tile in page.locator(".game").all():
        for part in (
            tile.locator(".about"),
            tile.locator(".primary small"),
            *tile.locator("a").all(),
        ):
            expect(part).to_be_visible()
        for pressed in tile.locator("a, button").all():
            assert (box := pressed.bounding_box())
            assert box["height"] >= FINGER
    expect(page.get_by_role("link", name="Play Hearts with friends")).to_be_visible()
    box = page.locator(".tiles").bounding_box()
    assert box
    assert box["y"] + box["height"] < 2 * 740


def test_a_name_is_asked_for_once(pages: Pages) -> None:
    """It is the player's at each further table; a match of one hand offers the next one at its end."""
    with serve_tables() as at:
        page = pages.open(f"{at.address}play?game=kuhn")
        page.locator("#setting > summary").click()
        page.locator("#name-0").fill("Ada")
        page.get_by_role("button", name="Start match").click()
        assert wait_for_question(page)
        page.goto(f"{at.address}play")
        expect(page.locator(".lobby .cards")).to_contain_text("Kuhn poker against")
        page.locator("[data-first=kuhn]").click()
        assert wait_for_question(page)
        table = find_match(at.tables, [*at.tables.places][-1])
        assert "Ada" in table.seating.spec.names
        play_on(page)
        expect(page.locator("#board .hand .card:not(.back)")).to_have_count(2)
        page.get_by_role("button", name="Next hand").click()
        assert wait_for_question(page)
        following = find_match(at.tables, [*at.tables.places][-1])
        assert following.seating.spec.names.index("Ada") != table.seating.spec.names.index("Ada")
        page.evaluate("localStorage.clear()")


def test_a_narrow_page_cuts_no_words_of_a_button(pages: Pages) -> None:
    """At a zoom of 400 % a button says all that it says elsewhere."""
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
    with serve_tables() as at:
        page = pages.blank(width=320)
        page.goto(f"{at.address}play")
        assert page.get_by_role("button").evaluate_all(cut) == []
