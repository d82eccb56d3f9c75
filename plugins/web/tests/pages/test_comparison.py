"""Two bots side by side, on a server and in a site of files."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.tournament import Tournament
from arena_web.site import write_site
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

T = "/t/tournament/"
PAIR = T + "compare?bot=match&against=random"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played, and whose styles are counted."""
    file = play_tournament(tmp_path_factory.mktemp("pair"), *FOUR)
    Tournament.load(file).insights()
    return file


def read(file: Path, path: str) -> str:
    """Return the text of a page."""
    with open_test_client(build_server_app(file)) as client:
        answer = client.get(path)
        assert answer.status_code == 200
        return strip(answer.text)


def strip(page: str) -> str:
    """Return the text of a page without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_two_bots_are_shown_side_by_side(file: Path) -> None:
    """The page has ratings, the record of both, common opponents and playing styles."""
    text = read(file, PAIR)
    assert re.search(r"(match|random) is stronger than (match|random) with a probability", text)
    met = re.search(r"match finished ahead in (\d+) % of 4 matches \(95 % interval (\d+) to", text)
    assert met
    own, other = re.findall(r"Finished ahead of the other (\d+) % \(.*?\) (\d+) %", text)[0]
    assert own == met[1]
    assert int(own) + int(other) == 100
    found = re.findall(r"(easy|medium) \d+ \d+ to \d+ 4 \d+ \d+ to \d+ 4 (\+\d+|-\d+|0) ", text)
    assert {name for name, _ in found} == {"easy", "medium"}
    assert [int(points) for _, points in found] == sorted((int(p) for _, p in found), reverse=True)
    assert "Observed in 12 matches of match and 12 of random" in text
    assert "Bids for each prize: match" in text
    assert "Bids for each prize: random" in text
    assert re.search(
        r"Time for an answer (under )?0\.\d+ s of 30 s (under )?0\.\d+ s of 30 s", text
    )


def test_who_is_not_named_is_the_best_of_the_others(file: Path) -> None:
    """A page without names shows the two best, a bot with itself is shown beside another one."""
    best = [standing.name for standing in Tournament.load(file).standings()]
    assert f"{best[0]} and {best[1]} side by side" in read(file, T + "compare")
    assert f"{best[2]} and {best[0]} side by side" in read(file, T + f"compare?bot={best[2]}")
    same = read(file, T + f"compare?bot={best[0]}&against={best[0]}")
    assert f"{best[0]} and {best[1]} side by side" in same
    with open_test_client(build_server_app(file)) as client:
        assert client.get(T + "compare?bot=match&against=nobody").status_code == 404


def test_a_style_is_compared_once_it_is_public(tmp_path: Path) -> None:
    """Nothing is told of a tournament that holds all hands back, but who won is."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
    text = read(file, PAIR)
    assert "Playing style Not known yet" in text
    assert "Bids for each prize" not in text
    assert "match finished ahead in" in text


def test_a_visitor_gets_there_from_the_standings_and_from_a_profile(
    file: Path, pages: Pages
) -> None:
    """The page suits everybody, and its form leads to other bots."""
    with serve_sources(file) as base:
        page = pages.open(base + "t/tournament/")
        page.get_by_role("link", name="two bots side by side").click()
        expect(page.locator("h1")).to_contain_text("side by side")
        page.goto(base + "t/tournament/bots/match")
        page.get_by_role("row", name="random").get_by_role("link", name="Compare").click()
        expect(page.locator("h1")).to_have_text("match and random side by side")
        check_page_in_all_themes(page)
        page.locator("select[name=against]").select_option("easy")
        page.get_by_role("button", name="Compare bots").click()
        expect(page.locator("h1")).to_have_text("match and easy side by side")


def test_a_site_of_files_has_a_page_for_each_two(file: Path, tmp_path: Path, pages: Pages) -> None:
    """Links of profiles lead there, and so does the form, from a disk too."""
    out = tmp_path / "site"
    write_site(str(file), out, replays=0)
    assert len([*(out / "compare").iterdir()]) == 6
    page = pages.open(f"file://{out}/index.html")
    page.get_by_role("link", name="two bots side by side").click()
    expect(page.locator("h1")).to_contain_text("side by side")
    page.locator("select[name=bot]").select_option("random")
    page.locator("select[name=against]").select_option("easy")
    page.get_by_role("button", name="Compare bots").click()
    expect(page.locator("h1")).to_have_text("easy and random side by side")
    page.locator("h1").get_by_role("link", name="random").click()
    page.get_by_role("row", name="match").get_by_role("link", name="Compare").click()
    expect(page.locator("h1")).to_have_text("match and random side by side")
    assert strip((out / "compare" / "match.random.html").read_text()).count("Bids for each") == 2
