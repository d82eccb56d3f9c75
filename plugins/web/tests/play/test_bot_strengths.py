"""The strengths that games ship, on the pages where a visitor chooses an opponent."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.plugins import get_plugins
from arena_web.app import build_application
from arena_web.play.table_setup import load_shipped_strengths
from arena_web.play.tables import PlayTables
from arena_web.play.views import PlayViews
from tests.support.toys import change


@pytest.mark.parametrize("path", ["/play", "/play?game=gops"])
def test_opponents_show_the_strengths_that_games_ship(path: str) -> None:
    """Each opponent has its rating and worst result, and a note says how they were measured."""
    app = build_application(PlayViews(PlayTables()).routes, limits={})
    page = TestClient(app, base_url="http://127.0.0.1").get(path).text
    strengths = load_shipped_strengths()
    for bot in ("easy", "medium", "hard"):
        assert strengths["gops", bot].text in page
        assert "worst: " in strengths["gops", bot].text
    assert "tells how well it holds against whoever plays best against it" in page
    assert " matches at tables of 2, seed" in page


def test_a_damaged_file_of_strengths_leaves_the_page_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots of the game have no strengths then, and those of the other games have."""
    damaged = tmp_path / "strengths.json"
    damaged.write_text("{}")
    games = get_plugins().games
    monkeypatch.setitem(games, "gops", change(games["gops"], strengths=damaged))
    strengths = load_shipped_strengths()
    assert ("gops", "hard") not in strengths
    assert ("kuhn", "optimal") in strengths
