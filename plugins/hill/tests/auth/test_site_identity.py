"""What a hill says of itself: title, description, link, authors who agree, first and last match."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve
from playwright.sync_api import expect
from starlette.testclient import TestClient

from arena.rules import StorageError
from arena.tournament import Tournament
from arena.tournament.file.reader import TournamentFileError
from arena.tournament.match_record import CANCELLED
from arena.tournament.store import Store
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.progress import FIRST_TIME, LAST_TIME
from arena_hill.db.accounts import TokenScope
from arena_hill.db.schema import SCHEMA
from arena_hill.db.store import HillStore
from arena_hill.hill_access import HillAccess
from arena_hill.web.served_hill import ServedHill
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import (
    build_author_headers,
    create_key,
    find_author,
    sign_in,
    write_hill_file,
)
from tests.support.hill.played_hill import PlayedHill, build_hill_app
from tests.support.hill.submission_terms import build_terms
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import open_test_client
from tests.support.web.browser import Pages

pytestmark = pytest.mark.slow

pytest_plugins = "tests.support.tournaments.databases"

TITLE = "<script>alert(1)</script> {{ 7 * 7 }} \"'&"
DESCRIPTION = "<img src=x onerror=alert(1)>\nFor all who like GOPS."
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }} &#34;&#39;&amp;"
LINK = "https://arena.example/?a=1&b=2"
STANDINGS, HOME = "/t/tournament/", "/hill/tournament/"
API = "/api/v1"


def quote_toml(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@pytest.fixture
def named(own: PlayedHill) -> PlayedHill:
    terms = {"title": TITLE, "description": DESCRIPTION, "link": LINK}
    with own.file.open("a") as file:
        file.writelines(f"{key} = {quote_toml(words)}\n" for key, words in terms.items())
    return evolve(own, served=ServedHill.open(own.file))


def show_newest(hill: PlayedHill, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a hill's standings computed anew each time, however long that takes."""
    monkeypatch.setattr("arena_web.http.refreshed_values.MAX_WAIT_SECONDS", TIMEOUT)
    hill.served.tournament.snapshot.now = lambda: 0.0


@pytest.fixture
def fresh(own: PlayedHill, monkeypatch: pytest.MonkeyPatch) -> PlayedHill:
    """Return a hill that shows its newest standings."""
    show_newest(own, monkeypatch)
    return own


@pytest.fixture
def visitor(named: PlayedHill) -> Iterator[TestClient]:
    with open_test_client(build_hill_app(named.served)) as client:
        yield client


@pytest.mark.parametrize(
    ("key", "words", "said"),
    [
        ("title", "x" * 81, "81 characters (at most 80 are allowed)"),
        ("title", "two\nlines", "write one line, without control characters"),
        ("title", "\N{RIGHT-TO-LEFT OVERRIDE}abc", "write one line, without control characters"),
        ("description", "x" * 1001, "1001 characters (at most 1000 are allowed)"),
        ("description", "\N{ZERO WIDTH SPACE}", "control characters are not allowed"),
        ("link", "javascript:alert(1)", "does not begin with https:// or http://"),
        ("link", "//arena.example", "does not begin with https:// or http://"),
        ("link", "https://", "does not begin with https:// or http://"),
        ("link", "https://arena.example/ x", "does not begin with https:// or http://"),
        ("link", "https://" + "x" * 493, "501 characters (at most 500 are allowed)"),
    ],
)
def test_an_identity_that_cannot_be_shown_is_refused(
    tmp_path: Path, key: str, words: str, said: str
) -> None:
    """The message names the key and what is allowed."""
    file = write_hill_file(tmp_path, **{key: quote_toml(words)})
    with pytest.raises(TournamentFileError) as refusal:
        Tournament.load(file)
    assert str(refusal.value).startswith(f"{file}: hill.{key}: ")
    assert said in str(refusal.value)


def test_every_page_shows_the_title_as_text(named: PlayedHill, visitor: TestClient) -> None:
    """A title with HTML in it is escaped in headings, titles and Open Graph."""
    ada = named.headers(named.ada)
    paths = ["", "matrix", "curves", "matches", "live", "bots/leaky", "m/1.0"]
    own = ["", "languages", "sources", "bots/leaky", f"submissions/{named.number}", "join/none"]
    pages = [STANDINGS + path for path in paths] + [HOME + path for path in own]
    for path in pages:
        page = visitor.get(path, headers=ada).text
        assert f'<meta property="og:title" content="{ESCAPED}">' in page, path
        assert f">{ESCAPED}</a>" in page, path
        assert "<script>alert" not in page, path
        assert "<img src=x" not in page, path


def test_standings_and_front_page_show_description_and_link(visitor: TestClient) -> None:
    """Both are escaped; the link may be followed by people, and is not recommended to robots."""
    for path in (STANDINGS, HOME):
        page = visitor.get(path).text
        assert '<p class="intro">&lt;img src=x onerror=alert(1)&gt;\nFor all who like' in page
        assert '<a href="https://arena.example/?a=1&amp;b=2" rel="nofollow">More about' in page


def test_a_hill_without_a_title_is_called_as_its_file(hill: PlayedHill) -> None:
    """A hill without an identity has its file's name as a title, and pages without a description or a link."""
    with open_test_client(build_hill_app(hill.served)) as visitor:
        page = visitor.get(STANDINGS).text
    assert "<h1>tournament</h1>" in page
    assert "og:title" not in page
    assert "intro" not in page


def test_programs_read_the_identity_and_the_times(named: PlayedHill, visitor: TestClient) -> None:
    """The list of hills has title, description and link; it and the standings have the times."""
    with Store.open(named.access.hill.spec.database, write=False) as store:
        times = sorted(match.when for match in store.matches.find_matches())
    told = visitor.get(f"{API}/hills").json()["hills"][0]
    assert (told["title"], told["description"], told["link"]) == (TITLE, DESCRIPTION, LINK)
    for known in (told, visitor.get(f"{API}/hills/tournament/standings").json()):
        assert (known["started"], known["last_match"]) == (times[0], times[-1])


def test_pages_show_when_the_first_and_the_last_match_were_over(visitor: TestClient) -> None:
    """Standings and front page have both times, for people and for programs."""
    told = visitor.get(f"{API}/hills").json()["hills"][0]
    for path in (STANDINGS, HOME):
        page = visitor.get(path).text
        assert f'<time datetime="{told["started"]}">' in page
        assert f'<time datetime="{told["last_match"]}">' in page


def test_a_hill_without_a_match_has_no_times(tmp_path: Path) -> None:
    """Programs read that there are no times yet, and people see nothing in their place."""
    with open_test_client(build_hill_app(HillAccess.open(write_hill_file(tmp_path)))) as visitor:
        told = visitor.get(f"{API}/hills").json()["hills"][0]
        assert (told["started"], told["last_match"]) == (None, None)
        assert visitor.get(f"{API}/hills/gops/standings").json()["started"] is None
        assert "<time" not in visitor.get("/hill/gops/").text


def test_the_times_are_found_without_a_scan(hill: PlayedHill) -> None:
    """SQLite walks the index of times from either end, however many matches there are."""
    with (
        Store.open(hill.access.hill.spec.database, write=False) as store,
        store.begin_read() as connection,
    ):
        for query in (FIRST_TIME, LAST_TIME):
            plan = connection.read_rows(f"EXPLAIN QUERY PLAN {query}", (CANCELLED,))
            assert [row[-1] for row in plan] == ["SCAN matches USING INDEX matches_stored"]


def names_in(visitor: TestClient) -> list[str | None]:
    """Return the authors whom the standings show to programs; see that the pages show the same."""
    rows = visitor.get(f"{STANDINGS}standings.json").json()["standings"]
    named = {row["name"]: row.get("author") for row in rows}
    assert ("by ada</small>" in visitor.get(STANDINGS).text) == (named["leaky"] == "ada")
    assert ("<span>by ada</span>" in visitor.get(f"{STANDINGS}bots/leaky").text) == bool(
        named["leaky"]
    )
    return [named[name] for name in ("leaky", "honest", "liar")]


def test_an_author_is_named_only_after_agreeing(fresh: PlayedHill) -> None:
    """An author agrees by a button or by a token, and can take it back."""
    ada = fresh.headers(fresh.ada)
    with open_test_client(build_hill_app(fresh.served)) as visitor:
        assert names_in(visitor) == [None, None, None]
        visitor.post(f"{HOME}author", data={"public": "yes"}, headers=ada)
        assert "The standings show your name" in visitor.get(HOME, headers=ada).text
        assert names_in(visitor) == ["ada", None, None]
        visitor.post(f"{HOME}author", data={"public": "no"}, headers=ada)
        assert names_in(visitor) == [None, None, None]
        token = build_author_headers(create_key(fresh.access))
        assert visitor.patch(f"{API}/me", json={"public": True}, headers=token).status_code == 204
        assert visitor.get(f"{API}/me", headers=token).json()["hills"]["tournament"]["public"]
        assert names_in(visitor) == ["ada", None, None]


def test_nobody_else_decides_whether_an_author_is_named(fresh: PlayedHill) -> None:
    """No visitor, no token that only reads and no malformed order changes it."""
    reads = build_author_headers(create_key(fresh.access, scope=TokenScope.READ))
    sends = build_author_headers(create_key(fresh.access))
    with open_test_client(build_hill_app(fresh.served)) as visitor:
        assert visitor.post(f"{HOME}author", data={"public": "yes"}).status_code == 404
        for headers, body, status in (({}, {"public": True}, 401), (reads, {"public": True}, 403),
                                      (sends, {"public": "yes"}, 422), (sends, {}, 422)):  # fmt: skip
            assert visitor.patch(f"{API}/me", json=body, headers=headers).status_code == status
        assert names_in(visitor) == [None, None, None]


def test_hidden_bots_and_banned_authors_are_not_named(own: PlayedHill) -> None:
    """What the host hides stays hidden, whatever the author has agreed to."""
    database = own.access.store
    bob = sign_in(database, "bob")
    database.act_as(bob).submit("second", "0" * 64, 1, build_terms(own.access.hill.config))
    for author in (find_author(database), bob):
        database.accounts.set_author_visibility(author, public=True)
    assert database.accounts.list_public_authors() == {"leaky": "ada", "second": "bob"}
    database.host_actions.hide("leaky", "its name")
    assert "leaky" not in database.accounts.list_public_authors()
    database.host_actions.ban("bob", "attacks")
    assert database.accounts.list_public_authors() == {}


def test_standings_are_shown_while_authors_cannot_be_read(fresh: PlayedHill) -> None:
    """A database of authors that is down takes no page of the tournament with it."""
    fresh.access.store.accounts.set_author_visibility(find_author(fresh.access.store), public=True)
    with open_test_client(build_hill_app(fresh.served)) as visitor:
        assert names_in(visitor) == ["ada", None, None]

        def down() -> dict[str, str]:
            raise StorageError("the database is down")

        fresh.served.tournament.find_authors = down
        assert names_in(visitor) == ["ada", None, None]


def test_a_new_database_has_the_tables_of_the_newest_schema(address: str | Path) -> None:
    """A new database is of the newest schema, and its authors have agreed to nothing."""
    database = HillStore.open(DatabaseAddress.of(address))
    assert not sign_in(database).public
    with database.transactions.begin_read() as snapshot:
        assert SCHEMA.is_newest(snapshot.connection)


def test_an_author_is_shown_and_hidden_in_a_browser(
    pages: Pages, named: PlayedHill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The title of the hill is at the top of the page, and an author finds a button to show or hide the own name."""
    show_newest(named, monkeypatch)
    with run_in_thread(build_hill_app(named.served)) as site:
        page = pages.open(f"{site}{HOME[1:]}join/{named.access.store.accounts.invite('ada')}")
        page.get_by_role("button", name="Join as ada").click()
        expect(page.get_by_role("banner").get_by_role("link", name=TITLE)).to_be_visible()
        expect(page.locator(".intro").first).to_contain_text("For all who like GOPS.")
        page.get_by_role("button", name="Show my name").click()
        expect(page.get_by_role("button", name="Hide my name")).to_be_visible()
        page.goto(f"{site}{STANDINGS[1:]}")
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
        expect(page.locator("th", has_text="leaky by ada")).to_be_visible()
