"""Pages of a tournament, of a folder, and of nothing, without a browser."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner
from starlette.testclient import TestClient

import arena_web
from arena.cli.replay import verify
from arena.rules import UserError
from arena.tournament import State, Summary, Tournament
from arena.tournament.ratings.ratings import DenseCovariance
from arena.tournament.store import Facts, MatchFilter, Store
from arena_web.pages.leads import describe_lead
from arena_web.sources import open_sources
from arena_web.static_files import FILES
from arena_web.tournaments.snapshots import take_snapshot
from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
)

pytestmark = pytest.mark.slow

T = "/t/tournament/"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played, with the styles of its bots counted."""
    file = play_tournament(tmp_path_factory.mktemp("hill"), *FOUR)
    Tournament.load(file).insights()
    return file


@pytest.fixture
def client(file: Path) -> Iterator[TestClient]:
    """Visit it."""
    with open_test_client(build_server_app(file)) as client:
        yield client


def test_one_tournament_is_shown_at_once(client: TestClient) -> None:
    """The first page leads to it."""
    answer = client.get("/")
    assert answer.url.path == T
    assert answer.status_code == 200


def test_standings_are_as_the_command_line_has_them(client: TestClient, file: Path) -> None:
    """The same bots in the same order with the same figures, for people and for programs."""
    found = Tournament.load(file).standings()
    page = client.get(T).text
    assert [page.index(f">{row.entry.name}</a>") for row in found] == sorted(
        page.index(f">{row.entry.name}</a>") for row in found
    )
    packed = client.get(T + "standings.json").json()
    assert packed["standings"] == [row.pack() for row in found]
    assert f"{packed['counted']} matches played" in page


def test_who_has_left_is_on_a_page_of_its_own(tmp_path: Path) -> None:
    """Pages of those who are present get no longer with everybody who was ever there."""
    file = play_tournament(tmp_path, *FOUR)
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        gone, *present = [entry.name for entry in store.entries.list_all()]
        store.entries.set_state(store.entrant_directory.ids[0], State.WITHDRAWN)
    with open_test_client(build_server_app(file)) as client:
        row = f">{gone}</a></th>"
        assert row not in client.get(T).text
        assert "1 version has left" in client.get(T).text
        assert row not in client.get(T + "matrix").text
        assert row in client.get(T + "left").text
        packed, whole = (client.get(T + f"standings.json{more}").json() for more in ("", "?all=1"))
        assert {row["name"] for row in packed["standings"]} == {*present}
        assert {row["name"] for row in whole["standings"]} == {gone, *present}
        assert packed["left"] == whole["left"] == 1
        assert client.get(T + f"bots/{gone}").status_code == 200
        assert gone in client.get(T + f"curves?bot={gone}").text


def test_standings_mark_bots_that_may_learn(tmp_path: Path) -> None:
    """A bot whose process has played match after match says so beside its name."""
    file = play_tournament(tmp_path, *FOUR[:2])
    with sqlite3.connect(file.with_suffix(".db")) as database:
        database.execute("UPDATE seats SET earlier = 0 WHERE entrant = 1")
    with open_test_client(build_server_app(file)) as client:
        page = client.get(T).text
        marked = {
            row["name"]: row["many_games"]
            for row in client.get(T + "standings.json").json()["standings"]
        }
    assert sorted(marked.values()) == [False, True]
    assert page.count(">many games</small>") == 1


def test_standings_follow_a_new_anchor(tmp_path: Path) -> None:
    """A snapshot is not the same with another one, and the page names it."""
    file = play_tournament(tmp_path, *FOUR[:2])
    with Store.open(file.with_suffix(".db")) as store:
        before = take_snapshot(store, None, {})
        assert take_snapshot(store, before, {}) is before
        store.claim()
        store.facts.set(Facts.anchor, f"{FOUR[0]} = 1500")
        assert take_snapshot(store, before, {}) is not before
    with open_test_client(build_server_app(file)) as client:
        assert f"({FOUR[0]} = 1500)" in client.get(T).text
        ratings = [row["rating"] for row in client.get(T + "standings.json").json()["standings"]]
    assert 1500 in ratings


def test_standings_say_what_is_settled(client: TestClient, file: Path) -> None:
    """Who is the best, or who may be as good, and how many of the places are sure."""
    with Store.open(file.with_suffix(".db")) as store:
        figures = Summary.of(store)
    said = describe_lead(figures)
    assert said in unescape(client.get(T).text)
    one = np.eye(len(figures.ratings.entrants))
    surely = evolve(figures.ratings, covariance=DenseCovariance(one / 1e9))
    assert describe_lead(evolve(figures, ratings=surely)).endswith(
        "the whole order is decided (95 % confidence)."
    )
    never = evolve(figures.ratings, covariance=DenseCovariance(one * 1e9))
    assert describe_lead(evolve(figures, ratings=never)).count("may be as good (95 % confidence).")
    assert "0 of the 3 gaps" in describe_lead(evolve(figures, ratings=never))
    never.rating[figures.rank_indices()[0][0]] += 1e9
    assert "is first (95 % confidence). 1 of" in describe_lead(evolve(figures, ratings=never))
    first, second, *others = figures.standings
    equals = evolve(figures, ratings=surely, standings=[first, evolve(second, place=1), *others])
    assert describe_lead(equals).startswith(f"{first.name} and {second.name} are first")


def test_a_part_of_a_page_is_what_stands_in_it(client: TestClient) -> None:
    """What is swapped in is what would have been there."""
    client.get(T + "feed.atom")  # waits for the records, which the standings show once found
    for path in ("", "matrix", "curves", "matches"):
        part = client.get(T + path, params={"part": path or "standings"})
        assert part.status_code == 200
        assert part.text.strip() in client.get(T + path).text
    assert client.get(T, params={"part": "../base"}).status_code == 404


def test_a_matrix_of_many_has_the_best(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so, and that the others' results are on their own pages."""
    assert "The table has the best" not in client.get(T + "matrix").text
    monkeypatch.setattr("arena_web.pages.head_to_head.MAX_MATRIX_BOTS", 2)
    page = client.get(T + "matrix", params={"part": "matrix", "few": "1"}).text
    assert "The table has the best 2 bots." in page
    assert page.count('<th scope="row">') == 2


def test_pages_of_many_bots_have_some_and_say_so(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The standings go on on a next page; curves, opponents and forms have the best or hardest."""
    monkeypatch.setattr("arena_web.pages.standings.PAGE_ROWS", 3)
    monkeypatch.setattr("arena_web.pages.rating_history.MAX_CURVES", 2)
    monkeypatch.setattr("arena_web.pages.bot_choices.MAX_SELECTABLE", 2)
    monkeypatch.setattr("arena_web.pages.bots.MAX_OPPONENTS", 1)
    pages = [client.get(T, params={"page": page, "cut": 1}) for page in ("1", "2")]
    rows = [re.findall(r'<th scope="row"><a href="./bots/(\w+)@', page.text) for page in pages]
    assert [len(names) for names in rows] == [3, 1]
    assert {*rows[0], *rows[1]} == {*FOUR}
    assert 'href="./?page=2"' in pages[0].text
    assert client.get(T, params={"page": "3"}).status_code == 404
    last = rows[1][0]
    curves = client.get(T + "curves", params={"bot": last}).text
    assert "These are the best 3 bots." in curves  # with the one that is asked for
    assert "the hardest 1 of 3 opponents" in client.get(T + f"bots/{last}", params={"cut": 1}).text
    form = client.get(T + "matches", params={"bot": last, "cut": 1}).text
    offered = re.findall(r"<option[^>]*>(\w+)", form.partition('<select name="against"')[0])
    assert len(offered) == 4  # any, the best two, and who is asked for
    assert offered[-1] == last


def test_a_cell_of_the_matrix_leads_to_the_matches_of_two(client: TestClient) -> None:
    """All of theirs, and nobody else's."""
    rows = csv.DictReader(StringIO(client.get(T + "matches.csv").text))
    sat: dict[str, set[str]] = {}
    for row in rows:
        sat.setdefault(row["match"], set()).add(row["name"])
    both = {key for key, names in sat.items() if {"match", "easy"} <= names}
    page = client.get(T + "matches", params={"bot": "match", "against": "easy"}).text
    assert both
    assert {key for key in sat if f"m/{key}" in page} == both


def test_pages_of_matches_hold_each_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By following the link to older ones one sees all of them, the newest first."""
    monkeypatch.setattr("arena_web.pages.matches.PAGE_MATCHES", 7)
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = client.get(T + "matches", params={"after": after}).text
        keys = [part.partition('"')[0] for part in page.split('href="./m/')[1:]]
        assert len(keys) <= 7
        seen += keys
        after = keys[-1] if 'rel="next"' in page else None
    assert seen == [f"{deal}.0" for deal in reversed(range(24))]


def test_a_transcript_holds_and_names_bots_alone(client: TestClient, tmp_path: Path) -> None:
    """`arena verify` plays the rules again on it; a bot's command is its name."""
    answer = client.get(T + "m/3.0/transcript")
    assert answer.headers["content-disposition"].startswith("attachment")
    saved = tmp_path / "m.jsonl"
    saved.write_text(answer.text)
    header = json.loads(answer.text.partition("\n")[0])
    assert all(seat["bot"] == seat["name"] for seat in header["seats"])
    assert "1 of 1 transcripts verified" in CliRunner().invoke(verify, [str(saved)]).output


def test_steps_are_seen_through_an_eye(client: TestClient) -> None:
    """All that `public` has seen is less than what `all` has; no such eye is no page."""
    eyes = {
        eye: client.get(T + "m/3.0/steps", params={"eye": eye})
        for eye in ("all", "public", "0", "1")
    }
    assert all(answer.json()["steps"][0]["l"] == 1 for answer in eyes.values())
    assert eyes["0"].text != eyes["1"].text
    for eye in ("2", "-1", "nobody", "٣"):
        assert client.get(T + "m/3.0/steps", params={"eye": eye}).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/t/other/", "/t/tournament", T + "m/99.0", T + "m/3.1", T + "m/3", T + "m/٣.0",
        T + "m/99999999999999999999.0", T + "bots/nobody", T + "bots/match@0", T + "nothing",
        T + "matches?bot=nobody", T + "m/..%2f..%2fsecret", "/static/nothing.js", "/t/..%2f/",
    ],
)  # fmt: skip
def test_what_is_not_there_is_404(client: TestClient, path: str) -> None:
    """In words, with the way to the beginning, and without what was asked for."""
    answer = client.get(path, follow_redirects=False)
    if answer.status_code == 307:  # a slash was missing
        answer = client.get(answer.headers["location"])
        assert answer.status_code == 200
        return
    assert answer.status_code == 404
    assert "This page does not exist" in answer.text


def test_matches_that_come_are_seen(tmp_path: Path) -> None:
    """A page that was seen before shows them, and who was set aside, when it is asked for again."""
    file = play_tournament(tmp_path, *FOUR)
    with open_test_client(build_server_app(file)) as client:
        first = client.get(T)
        assert "24 matches played" in first.text
        edit_database(
            file,
            "DELETE FROM seats WHERE deal = 23",
            "DELETE FROM transcripts WHERE deal = 23",
            "DELETE FROM matches WHERE deal = 23",
        )
        known = {"If-None-Match": first.headers["etag"]}
        while (now := client.get(T, headers=known)).status_code == 304 or "24 matches" in now.text:
            known = {"If-None-Match": now.headers["etag"]}  # its highlights may come late
        assert "23 of 24 planned matches played" in now.text


def test_who_does_not_play_is_told_what_next(tmp_path: Path) -> None:
    """The page of a bot that was set aside, or is unfit, says so; that of another one does not."""
    file = play_tournament(tmp_path, *FOUR)
    edit_database(file, "UPDATE entrants SET state = 'set aside' WHERE name = 'easy'")
    edit_database(file, "UPDATE entrants SET state = 'unfit' WHERE name = 'match'")
    with open_test_client(build_server_app(file)) as client:
        said = {name: client.get(f"{T}bots/{name}").text for name in ("easy", "match", "medium")}
    assert "This bot failed repeatedly" in said["easy"]
    assert "This bot did not build, start or pass its check" in said["match"]
    assert [name for name, page in said.items() if "arena tournament replace" in page] == [
        "easy", "match",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["", "matrix", "curves", "matches", "m/3.0", "bots/easy"])
def test_a_page_that_has_not_changed_is_not_made_again(
    client: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has it is told so; whoever has another one is not, nor who has none."""
    client.get(T + "feed.atom")  # waits for the records, with which the standings change once
    first = client.get(T + path)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["content-encoding"] == "gzip"
    assert client.get(T + path, headers={"If-None-Match": 'W/"other"'}).text == first.text
    monkeypatch.setattr("arena_web.routes.render_page", None)
    same = client.get(T + path, headers={"If-None-Match": f'W/"other", {tag}'})
    assert (same.status_code, same.content) == (304, b"")
    assert (same.headers["etag"], same.headers["cache-control"]) == (tag, "no-cache")


def test_what_is_being_played_has_no_tag(client: TestClient) -> None:
    """The page is made of more than what is stored."""
    assert "etag" not in client.get(T + "live").headers


def test_a_folder_of_transcripts_is_a_list(client: TestClient, tmp_path: Path) -> None:
    """Each leads to the same page of a match; what is no transcript is passed over."""
    folder = tmp_path / "games"
    folder.mkdir()
    for number in (1, 2):
        text = client.get(T + f"m/{number}.0/transcript").text
        (folder / f"game {number}.jsonl").write_text(text)
    (folder / "broken.jsonl").write_text("no\n")
    (tmp_path / "secret.jsonl").write_text(text)
    with open_test_client(build_server_app(folder, folder / "game 1.jsonl")) as there:
        assert "games" in there.get("/").text
        page = there.get("/t/games/").text
        assert "m/game%201" in page
        assert "broken" not in page
        assert there.get("/t/games/m/game%201").status_code == 200
        assert there.get("/t/games/m/game%201/steps?eye=0").json()["steps"][0]["l"] == 1
        assert there.get("/t/game-1/m/game%201/transcript").status_code == 200
        for key in ("..%2fsecret", "broken", "secret"):
            assert there.get(f"/t/games/m/{key}").status_code == 404


def test_nothing_served_is_a_page() -> None:
    """It leads to tables to play at."""
    with open_test_client(build_server_app()) as client:
        assert "play" in client.get("/").text


@pytest.mark.parametrize("what", ["none.toml", "none.db", "none.jsonl", "empty", "mysql://a/b"])
def test_what_cannot_be_served_is_said_at_the_start(what: str, tmp_path: Path) -> None:
    """A source that cannot be opened is reported in one line when the server starts."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError) as problem:
        open_sources([what if "://" in what else str(tmp_path / what)])
    assert len(str(problem.value).splitlines()) == 1


def test_a_database_that_is_gone_is_told_to_the_host_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A visitor does not learn where it was."""
    file = play_tournament(tmp_path, *FOUR)
    with open_test_client(build_server_app(file)) as client:
        file.with_suffix(".db").unlink()
        answer = client.get(T)
    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text
    assert "no such file" in capsys.readouterr().err


def test_a_filter_knows_who_was_against_whom(file: Path) -> None:
    """With a bot or without one, on each page."""
    with Store.open(file.with_suffix(".db"), write=False) as store:
        every = [*store.matches.find_matches(MatchFilter(newest=True))]
        names = {match.match: {seat.name for seat in match.seats} for match in every}
        for bot in (None, "match"):
            wanted = [
                key for key, who in names.items() if "easy" in who and (not bot or bot in who)
            ]
            found = [
                match.match
                for match in store.matches.find_matches(
                    MatchFilter(bot=bot, against="easy", newest=True)
                )
            ]
            assert found == wanted
            deal = int(wanted[2].partition(".")[0])
            later = MatchFilter(bot=bot, against="easy", newest=True, after=(deal, 0))
            assert [match.match for match in store.matches.find_matches(later)] == wanted[3:]


def test_a_profile_begins_with_sentences_and_a_list_can_begin_at_a_deal(tmp_path: Path) -> None:
    """What the bot does, and whom it beats; a finished tournament has no leader any more."""
    with open_test_client(build_server_app(play_tournament(tmp_path, *FOUR))) as client:
        profile = client.get("/t/tournament/bots/match").text
        lead = profile.partition('<p class="lead">')[2].partition("</p>")[0]
        assert lead.startswith("Bids the prize&#39;s value, or the nearest card")
        assert "It finishes ahead of " in lead
        assert "leads since" not in client.get("/t/tournament/").text
        listed = client.get("/t/tournament/matches?deal=3").text
        deals = [int(deal) for deal in re.findall(r"/m/(\d+)\.\d", listed)]
        assert max(deals) == 3


def test_words_for_the_ear_are_hidden_by_the_style_sheet_of_all_pages() -> None:
    """No page shows them for want of another style sheet."""
    hidden = re.compile(rb"^\.hidden \{[^}]*clip-path: inset\(50%\)", re.MULTILINE)
    hiding = {name for name, file in FILES.items() if hidden.search(file.body)}
    assert hiding == {"arena.css"}
    clipping = {name for name, file in FILES.items() if b"clip-path: inset(50%)" in file.body}
    assert clipping == {"arena.css", "hints.css", "profile.css"}  # the others hide what they name
    base = Path(arena_web.__file__).with_name("templates") / "base.html"
    assert "static/arena.css" in base.read_text()
