"""The browser of the tests sees what it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Route

from tests.support.web.browser import Pages, check_page, check_page_in_all_themes


def test_a_page_with_a_fault_is_found(pages: Pages, tmp_path: Path) -> None:
    """A control: an error in the console, and an image without words."""
    (tmp_path / "bad.html").write_text(
        "<!doctype html><html lang=en><title>x</title><main><h1>x</h1><img src='data:,'></main>"
        "<script>console.error('planted')</script>"
    )
    page = pages.open(f"file://{tmp_path}/bad.html")
    assert page.title() == "x"  # what the page said before is here by then
    assert any("planted" in what for what in pages.wrong)
    pages.wrong.clear()
    with pytest.raises(AssertionError, match="image-alt"):
        check_page(page)


def test_a_page_is_looked_at_once_it_is_whole(pages: Pages, tmp_path: Path) -> None:
    """A click returns when the next page has begun, which may be long before it has a body."""
    page = pages.blank()

    def hold(route: Route) -> None:
        for _ in range(20):  # things that are asked before the page has its script
            page.context.cookies()
        route.fulfill(body="")

    page.route("**/held.js", hold)
    (tmp_path / "first.html").write_text("<!doctype html><a href=next.html>next</a>")
    (tmp_path / "next.html").write_text(
        "<!doctype html><html lang=en><title>x</title><script src=held.js></script>"
        "<main><h1>x</h1><img src='data:,'></main>"
    )
    page.goto(f"file://{tmp_path}/first.html")
    page.get_by_role("link").click()
    with pytest.raises(AssertionError, match="image-alt"):
        check_page(page)


@pytest.mark.parametrize("place", ["last", "dark", "inner"])
def test_a_pale_line_is_found(pages: Pages, tmp_path: Path, place: str) -> None:
    """Among many that look alike only the first ones are looked at, and each that differs."""
    pale = {
        "last": "li:last-child { color: #aaa }",
        "dark": "@media (prefers-color-scheme: dark) { li { color: #aaa } }",
        "inner": "li:last-child b { color: #aaa }",
    }
    (tmp_path / "log.html").write_text(
        "<!doctype html><html lang=en><title>x</title><main><h1>x</h1><ul>"
        f"{'<li>plain <b>bold</b></li>' * 20}</ul></main><style>{pale[place]}</style>"
    )
    page = pages.open(f"file://{tmp_path}/log.html")
    with pytest.raises(AssertionError, match="color-contrast"):
        check_page_in_all_themes(page)
