"""A game that was written an hour ago has hints and a review in the browser, from its rules alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.plugins import entry_points, get_plugins
from arena_web import hints
from arena_web.review import weighing
from tests.support.command import Cli
from tests.support.installs import install_editable
from tests.support.web.browser import Pages, check_page
from tests.support.web.seat_pages import play_on, serve_tables, sit_down, wait_for_question


def forget_plugins() -> None:
    """Have the plugins of this installation be looked for anew."""
    get_plugins.cache_clear()
    entry_points._read_entry_points.cache_clear()


@pytest.fixture
def _pips(quick: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a game `pips` from `arena new-game`, and weigh answers as surely as pages do."""
    assert quick("new-game", "pips").returncode == 0
    for folder in reversed(install_editable(tmp_path / "pips", tmp_path / "site").split(":")):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(hints, "HINT_PLAYOUTS", 300)
    monkeypatch.setattr(weighing, "PLAYOUTS", 160)
    monkeypatch.setattr(weighing, "CONFIDENCE", hints.CONFIDENCE)
    forget_plugins()
    yield
    monkeypatch.undo()
    forget_plugins()
    for name in [name for name in sys.modules if name.partition(".")[0] == "arena_pips"]:
        del sys.modules[name]


@pytest.mark.usefixtures("_pips")
def test_a_new_game_has_hints_and_a_review(pages: Pages) -> None:
    """Both say how sure they are; the hint marks a card that can be laid."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "pips", "thrifty", "thrifty")
        assert wait_for_question(page)
        page.get_by_role("button", name="Show a hint").click()
        expect(page.locator("#hinted")).to_have_text(
            re.compile(
                r"^A search: \d+\. Bots played on \d+ times, and it came out \d+\s% better than the"
                r" next best answer, (more than chance explains|which may be chance)\.$"
            )
        )
        expect(page.locator("#dock .hint-here:enabled")).to_have_count(1)
        play_on(page)
        told = page.locator("#review")
        expect(told.get_by_role("heading")).to_have_text("Why you did not win")
        expect(told.get_by_role("status")).to_contain_text(" cost you most")
        expect(told.locator("li p")).to_have_text(
            re.compile(
                r"^If you had chosen \d+, your chance to win would have been \d+\s% instead"
                r" of \d+\s%\.$"
            )
        )
        check_page(page)
