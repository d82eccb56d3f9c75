"""What is seen first on each page, on a desk and on a telephone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.tournament import Tournament
from tests.support.tournaments.served import FOUR, play_tournament, serve_sources
from tests.support.web.browser import Pages

SIZES = ((1200, 800, 1), (390, 844, 2))  # with the rows of the navigation
MAX_ROW_HEIGHT = {1: 64, 2: 36}  # pixels of a row, where there are so many
FIRST = {
    "": (".lead", ".standings tbody tr:first-child th", ".standings tbody tr:nth-child(4) th"),
    "bots/match": (".summary", "button[name=bot]", "[aria-label='Results by opponent'] tbody th"),
    "compare?bot=match&against=easy": ("h1", ".filter", ".lead", ".sides thead"),
    "matches?bot=match&result=lost": (".filter", ".matches tbody tr:first-child th"),
    "live": ("#broadcast .card", "#broadcast .buttons", "#broadcast h2"),
    "curves": ("svg.chart",),
    "matrix": (".matrix thead",),
}
"""What has to be in view without scrolling, by page."""
LISTED = ("", "live", "curves", "matrix")  # in the navigation


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played, and whose styles are counted."""
    file = play_tournament(tmp_path_factory.mktemp("first"), *FOUR)
    Tournament.load(file).insights()
    return file


def test_what_matters_is_seen_without_scrolling(site: Path, pages: Pages) -> None:
    """The navigation takes one row, or two on a telephone, and what the page is about is in view."""
    with serve_sources(site) as base:
        page = pages.blank()
        for path, wanted in FIRST.items():
            page.goto(f"{base}t/tournament/{path}")
            if path == "live":
                expect(page.locator("#broadcast .kind")).to_contain_text("a replay")
                page.get_by_role("button", name="Pause").click()
            for width, height, rows in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                bar = page.locator(".top").bounding_box()
                assert bar
                assert bar["height"] <= rows * MAX_ROW_HEIGHT[rows], (path, width)
                expect(page.get_by_role("link", name="Play", exact=True)).to_be_in_viewport()
                expect(page.get_by_role("link", name="My games")).to_be_in_viewport()
                if path in LISTED:  # on a telephone the row of pages is pushed there
                    expect(page.locator(".top [aria-current]")).to_be_in_viewport(ratio=0.95)
                for selector in wanted:
                    expect(page.locator(selector).first).to_be_in_viewport(ratio=0.95)
