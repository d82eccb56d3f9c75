"""The pages of an explorer in a browser: cards as on a table, and a walk that leads back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena_web.explorers import ExplorerPages
from arena_web.preparations import Preparations
from tests.support.web.browser import Pages, check_page_in_all_themes
from tests.support.web.seat_pages import open_table, play_on, serve_tables

pytest.importorskip("arena_gops_solver")
TELEPHONE = 360  # pixels across


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a cache without solutions, so that the game of 13 cards is not solved."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_what_is_not_solved_is_solved_at_a_press(pages: Pages) -> None:
    """The page says how far it is, and shows the position then; strangers have no button."""
    preparations = Preparations()
    with serve_tables(lambda _: ExplorerPages(preparations).routes) as at:
        page = pages.open(f"{at.address}study/gops?cards=9")
        expect(page.get_by_role("complementary")).to_contain_text("about a second")
        expect(page.get_by_role("button", name="Solve it now")).to_have_count(3)  # 9 and 13 cards
        page.get_by_role("button", name="Solve it now").first.click()
        chosen = page.get_by_role("navigation", name="Both play for").locator("[aria-current]")
        expect(chosen).to_have_text("the chance to win")
        expect(page.locator(".problem, .wrong")).to_have_count(0)
    preparations.join()
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        page = pages.open(f"{at.address}study/gops")
        expect(page.get_by_role("complementary")).to_contain_text("13 cards (points)")
        expect(page.get_by_role("button", name="Solve it now")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (TELEPHONE, 740)])
def test_a_game_that_is_not_solved_opens_with_what_solves_it(
    pages: Pages, width: int, height: int
) -> None:
    """No other position stands in its place, and the button is in sight."""
    with serve_tables(lambda _: ExplorerPages(Preparations()).routes) as at:
        page = pages.blank()
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{at.address}study/gops?cards=13")
        button = page.get_by_role("button", name="Solve it now").first
        expect(button).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.locator(".choices")).to_have_count(0)
        check_page_in_all_themes(page)


def choose(page: Page, row: str, card: str) -> None:
    """Choose a card of the row whose heading begins so."""
    rows = page.locator(".choices").filter(has=page.get_by_role("heading", name=row))
    rows.get_by_role("link", name=card).click()


def test_nobody_reads_commands() -> None:
    """People read that a solution is not there, and not what one types to compute it."""
    client = TestClient(Starlette(routes=ExplorerPages().routes), base_url="http://localhost")
    for address in ("/study/gops", "/study/gops?cards=13"):
        page = client.get(address).text
        assert "GOPS with 13 cards (points) is not solved yet" in page
        assert "arena gops" not in page


def test_a_walk_is_seen_and_leads_back(pages: Pages) -> None:
    """Cards are drawn and read as such; each round so far is a link, and the objective stays."""
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        page = pages.open(f"{at.address}study/gops")
        check_page_in_all_themes(page)
        expect(page.locator(".choices .card svg")).to_have_count(18)
        expect(page.get_by_role("complementary")).to_contain_text("not solved yet")
        page.get_by_role("link", name="the chance to win").click()
        choose(page, "Your hand", "6 of clubs")
        choose(page, "Their hand", "ace of spades")
        rounds = page.get_by_role("navigation", name="Rounds so far")
        expect(rounds).to_contain_text("for the 5 you bid the 6, they the ace: yours")
        expect(page.get_by_role("complementary")).to_have_count(0)
        choose(page, "Prizes", "2 of diamonds")
        expect(rounds).to_contain_text("for the 5 you bid the 6")
        check_page_in_all_themes(page)
        page.get_by_role("link", name="Step back").click()
        expect(rounds).to_have_count(0)
        purposes = page.get_by_role("navigation", name="Both play for")
        chosen = purposes.locator("[aria-current]")
        expect(chosen).to_have_text("the chance to win")


def test_hands_stand_beside_each_other_where_there_is_room(pages: Pages) -> None:
    """On a desk the page is filled, and all of it is seen; what was walked stands beside them."""
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{at.address}study/gops")
        own, other = (page.get_by_role("heading", name=name) for name in ("Your", "Their"))
        expect(page.locator(".choices .card svg")).to_have_count(18)
        assert find_top(own) == find_top(other)
        expect(page.locator(".worth").last).to_be_in_viewport(ratio=1)
        sizes = page.get_by_role("navigation", name="Cards each")
        expect(sizes).to_contain_text("13 not solved")
        sizes.get_by_role("link", name="10").click()
        expect(page.locator(".choices .card svg")).to_have_count(30)
        choose(page, "Prizes", "9 of diamonds")
        assert find_top(own) < find_top(other)
        assert page.evaluate("document.documentElement.scrollWidth") == 1280


def find_top(heading: Locator) -> float:
    """Return how far down a heading stands."""
    box = heading.bounding_box()
    assert box
    return box["y"]


def test_an_explorer_fits_a_telephone(pages: Pages) -> None:
    """Nothing is wider than the screen."""
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        page = pages.blank(touch=True)
        page.set_viewport_size({"width": TELEPHONE, "height": 740})
        page.goto(f"{at.address}study/gops")
        expect(page.locator(".choices .card svg").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == TELEPHONE
        hands = page.locator(".choices ul")
        heights = hands.evaluate_all("(rows) => rows.map((row) => row.offsetHeight)")
        card = page.locator(".choices li").first.evaluate("(card) => card.offsetHeight")
        assert heights[0] == card  # six cards in a row


def test_whoever_plays_is_led_there(pages: Pages) -> None:
    """From the form of a new game, the menu of a seat, the end, and each answer that is judged."""
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        way = "Explore optimal play"
        page = pages.open(f"{at.address}play?game=kuhn")
        expect(page.get_by_role("link", name=way)).to_have_count(0)
        page.goto(f"{at.address}play?game=gops")
        address = page.get_by_role("link", name=way).evaluate("link => link.href")
        assert address == f"{at.address}study/gops"
        open_table(page, at.address, "gops", option_cards="3")
        page.get_by_role("button", name="menu").click()
        menu = page.get_by_role("link", name=way).evaluate("link => link.href")
        assert menu == f"{address}?cards=3"
        page.keyboard.press("Escape")
        play_on(page)
        expect(page.locator("#ended").get_by_role("link", name=way)).to_be_visible()
        page.locator("#costs summary").click()
        costliest = page.locator("#costs").get_by_role("link", name="Explore this round").first
        led = page.locator("#ended").get_by_role("link", name=way).evaluate("link => link.href")
        assert led == costliest.evaluate("link => link.href")
        costliest.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("GOPS, solved")
        expect(page.locator(".choices")).to_have_count(3)
