"""The strengths that games ship, on the pages where a visitor chooses an opponent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.plugins import get_plugins
from arena.tournament import load_bot_strengths
from arena.tournament.results.bot_strengths import LEVELS
from arena_web.app import build_application
from arena_web.play.offers import load_pools
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.player_names import load_strengths
from tests.support.requirements import require_solver
from tests.support.toys import change


def read_page(path: str) -> str:
    """Return the text of a page for choosing opponents."""
    app = build_application(PlayPages(PlayTables()).routes, limits={})
    return TestClient(app, base_url="http://127.0.0.1").get(path).text


def test_opponents_are_offered_by_levels_with_the_figures_behind_them() -> None:
    """The words come from what was measured: `hard` is medium, and the best of the pool is there."""
    page = read_page("/play?game=gops")
    row = r'name="bot" value="([\w-]+)".*?>Play against </span>([\w -]+)<'
    listed = [re.findall(row, part) for part in page.split("More opponents")]
    first, more = listed
    assert first[0] == ("ordered", "Beginner")
    assert {("planner", "Easy"), ("hard", "Medium"), ("outbid", "Expert")} < {*first}
    assert [level for _, level in first] == sorted(
        {level for _, level in first}, key=lambda level: [*LEVELS].index(level.lower())
    )
    assert {("match", "Match"), ("medium", "High-prize bluffer")} <= {*more}
    assert "<small>hard</small>" in page
    assert "<code>" not in page.partition("How strong are they?")[2].partition("</table>")[0]
    assert len({title for _, title in more}) == len(more)
    strengths = load_bot_strengths(get_plugins().games["gops"])
    assert strengths
    assert f"<td>{strengths.bots['outbid'].rating:.0f} ±" in page
    assert " matches at tables of 2, seed" in page


def test_one_click_plays_against_the_weakest_that_is_no_beginner() -> None:
    """Each tile of the start page has a button for this, and one for each other level."""
    tile = read_page("/play").partition('id="game-gops"')[2].partition("</form>")[0]
    assert re.findall(r"</span>(\w+)</button>", tile) == ["beginner", "medium", "hard", "expert"]


def test_an_opponent_that_cannot_start_says_why_and_names_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exact solution of 13 cards is no button until it is solved, and says how long it takes."""
    require_solver()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page = read_page("/play?game=gops")
    assert 'name="bot" value="nash"' not in page
    assert "is not solved yet; solving it takes about 30 seconds" in page
    assert "arena gops solve" not in page


def test_a_damaged_file_of_strengths_leaves_the_page_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots of the game have no levels then, and those of the other games have."""
    damaged = tmp_path / "strengths.json"
    damaged.write_text("{}")
    games = get_plugins().games
    monkeypatch.setitem(games, "gops", change(games["gops"], strengths=damaged))
    pools = load_pools(())
    assert {bot.level for bot in pools["gops"].bots} == {""}
    assert "medium" in {bot.level for bot in pools["kuhn"].bots}


def test_strengths_are_read_once(tmp_path: Path) -> None:
    """Names of bots are on pages that are built where no file can be opened."""
    gops = get_plugins().games["gops"]
    assert gops.presentation.strengths
    file = tmp_path / "strengths.json"
    file.write_text(gops.presentation.strengths.read_text("utf-8"), "utf-8")
    moved = change(gops, strengths=file)
    first = load_strengths(moved)
    file.unlink()
    assert first
    assert load_strengths(moved) is first
