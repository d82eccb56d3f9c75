"""The live page: it follows the best table, or replays the latest matches of the leaders."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
    serve_sources,
)
from tests.support.web.browser import Pages, check_page_in_all_themes

pytestmark = pytest.mark.slow

NEXT = "/t/tournament/live/next"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("live"), *FOUR)


def test_a_page_is_never_empty_and_goes_on(file: Path, pages: Pages) -> None:
    """A replay begins by itself, can be stopped, and is followed by another match."""
    with serve_sources(file) as base:
        page = pages.open(f"{base}t/tournament/live")
        kind, board = page.locator("#broadcast .kind"), page.locator("#broadcast .shown")
        expect(kind).to_contain_text("a replay")
        expect(board.locator(".card").first).to_be_visible()
        first = kind.inner_text()
        page.get_by_role("button", name="Pause").click()
        check_page_in_all_themes(page)
        page.get_by_role("button", name="Next match").click()
        expect(kind).not_to_have_text(first)
        expect(page.locator("#part tbody tr")).to_have_count(12)


def test_the_best_match_that_was_not_shown_comes_next(file: Path) -> None:
    """When all were shown it begins again."""
    with open_test_client(build_server_app(file)) as client:
        seen: list[str] = []
        for _ in range(24):
            chosen = client.get(NEXT, params={"seen": ",".join(seen)}).json()
            assert chosen["kind"] == "replay"
            assert chosen["key"] not in seen
            seen.append(chosen["key"])
        assert client.get(NEXT, params={"seen": ",".join(seen)}).json()["key"] == seen[0]


def test_only_what_is_public_is_replayed(tmp_path: Path) -> None:
    """Neither a deal of which a rotation is open, nor anything before the hands are public."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(file, "UPDATE deals SET rotations = 2 WHERE number != 5")
    with open_test_client(build_server_app(file)) as client:
        assert client.get(NEXT).json()["key"] == "5.0"
        assert client.get(NEXT, params={"seen": "5.0"}).json()["key"] == "5.0"
        edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
        assert client.get(NEXT).json() == {"kind": "none"}
