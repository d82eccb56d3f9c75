"""The front page of a tournament, and its feed: what is played, who leads, what happened."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from arena.tournament import Tournament
from arena_web.site import write_site
from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
)

pytestmark = pytest.mark.slow

T = "/t/tournament/"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
TIES = """
game = "gops"
seed = "1"
matches = 60
workers = 1
check = false
options = {cards = 5}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("front"), *FOUR, text=TIES)


def read(file: Path, path: str = "") -> str:
    """Return the text of a page; the highlights are there, since the feed has waited for them."""
    with open_test_client(build_server_app(file)) as client:
        client.get(T + "feed.atom")
        text = client.get(T + path).text
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def parse_feed(file: Path) -> ET.Element:
    """Return the feed of a tournament."""
    with open_test_client(build_server_app(file)) as client:
        answer = client.get(T + "feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml"
    return ET.fromstring(answer.text)  # noqa: S314  # our own


def titles(feed: ET.Element) -> list[str]:
    """Return the titles of the entries of a feed, in order."""
    return [entry.findtext("a:title", "", ATOM) for entry in feed.findall("a:entry", ATOM)]


def test_the_front_page_says_what_is_played_and_who_leads(file: Path) -> None:
    """A finished tournament says when it ended; a column says in how many matches a bot won."""
    text = read(file)
    assert re.search(r"GOPS round-robin, 2 players a match, cards=5 Finished on \d+ \w+ 2\d+", text)
    best = Tournament.load(file).standings()[0]
    assert "leads since" not in text
    assert "Closest finish" in text
    assert re.search(rf"1 {best.name} Python \(bundled\) .*? \d+ ", text)
    assert "won (%)" in text


def test_a_tournament_that_is_not_over_does_not_say_so(tmp_path: Path) -> None:
    """It says since when it is played."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
    text = read(file)
    assert "Finished on" not in text
    assert "24 matches played since" in text


def test_the_feed_has_all_news_with_lasting_ids(file: Path) -> None:
    """Who took the lead, records and the end, the newest first, each with a link and a time."""
    feed = parse_feed(file)
    found = titles(feed)
    assert found[0] == "Finished after 60 matches."
    assert any(title.endswith("took the lead.") for title in found)
    assert any(title.startswith("Closest finish: ") for title in found)
    times = [entry.findtext("a:updated", "", ATOM) for entry in feed.findall("a:entry", ATOM)]
    assert times == sorted(times, reverse=True)
    assert feed.findtext("a:updated", "", ATOM) == times[0]
    ids = [entry.findtext("a:id", "", ATOM) for entry in feed.findall("a:entry", ATOM)]
    assert len({*ids}) == len(ids)
    assert ids == [e.findtext("a:id", "", ATOM) for e in parse_feed(file).findall("a:entry", ATOM)]
    links = [link.get("href", "") for link in feed.iterfind(".//a:entry/a:link", ATOM)]
    assert all(link.startswith("http://localhost/t/tournament/") for link in links)


def test_arrivals_departures_and_the_longest_match_are_told(tmp_path: Path) -> None:
    """Who entered after the start, and who left; a name is nothing but text in the feed."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(
        file,
        "UPDATE facts SET value = '3' WHERE name = 'first'",
        "UPDATE entrants SET state = 'withdrawn', name = '<b>&\u0007' WHERE id = 2",
        "UPDATE matches SET rounds = 9 WHERE deal = 7",
    )
    found = titles(parse_feed(file))
    assert "random entered." in found
    assert "<b>&? was withdrawn." in found
    assert any(re.fullmatch(r"Longest game: .*: 9 rounds", title) for title in found)
    text = read(file)
    assert "Arrivals random entered." in text
    assert "Departures <b>&" in text


def test_a_site_of_files_has_the_feed(file: Path, tmp_path: Path) -> None:
    """Its links lead to the files beside it."""
    write_site(str(file), tmp_path / "site", replays=0)
    feed = ET.fromstring((tmp_path / "site" / "feed.atom").read_text())  # noqa: S314  # our own
    assert titles(feed) == titles(parse_feed(file))
    link = feed.find(".//a:entry/a:link[@rel='alternate']", ATOM)
    assert link is not None
    assert link.get("href") == "./index.html"
    assert "leads since" not in (tmp_path / "site" / "index.html").read_text()
