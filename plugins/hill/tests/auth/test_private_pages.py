"""What is an author's own, and what is everybody's, on the pages of a hill; without a browser."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from arena.plugins import get_plugins
from arena.records import parse_lines, verify
from arena_hill.cli.bot_list import list_bots
from arena_hill.db.accounts import hash_secret
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import find_author
from tests.support.hill.played_hill import OPEN, PlayedHill, build_hill_app
from tests.support.tournaments.served import edit_database, open_test_client
from tests.support.web.crawler import Crawler

pytestmark = pytest.mark.slow

HOME = "/hill/tournament/"
ELSEWHERE = ("/t/tournament/m", "/t/tournament/events", "/study", "/play", "/static")
"""Where others have looked."""

PRIVATE = ("submissions/1", "submissions/1?part=submission", "submissions/1/source", "bots/leaky",
           "bots/leaky/matches.zip")  # fmt: skip


def test_an_authors_pages_do_not_exist_for_others(hill: PlayedHill) -> None:
    """Others get 404 for an author's pages, and for the orders on them."""
    with open_test_client(build_hill_app(hill.access)) as client:
        base = HOME
        for path in PRIVATE:
            assert client.get(base + path, headers=hill.headers(hill.ada)).status_code == 200
            for headers in ({}, hill.headers(hill.eve), hill.headers("arena_" + "x" * 43)):
                assert client.get(base + path, headers=headers).status_code == 404
        for path in ("bots/leaky/withdraw", "bots/leaky/publish", "tokens", "tokens/1/revoke"):
            for headers in ({"Sec-Fetch-Site": "same-origin"}, hill.headers(hill.eve)):
                answer = client.post(base + path, headers=headers)
                assert answer.status_code in (404, 422), path
            assert client.get(base + path).status_code == (404 if path == "tokens" else 405)
        numbers = ("9" * 20, "9" * 5000, "one")
        paths = [f"submissions/{number}" for number in numbers]
        for path in (*paths, "bots/nobody", "join/", "../nothing/"):
            assert client.get(base + path, headers=hill.headers(hill.ada)).status_code == 404
        assert hill.access.store.submissions.select()[0].state is SubmissionState.ACCEPTED


def test_no_page_for_others_shows_anything_private(hill: PlayedHill) -> None:
    """Neither visitors nor other authors find an author's data on any page, and no author finds a path of the host."""
    secret = {"a path": str(hill.file.parent), "a key": hill.ada, "its hash": hash_secret(hill.ada)}
    private = {
        "what a bot said": "canary-stderr",
        "a log": "canary-log",
        "a source": "canary-source",
    }
    with run_in_thread(build_hill_app(hill.access)) as base:
        nobody = Crawler(base, leaves=ELSEWHERE)
        other = Crawler(base, hill.headers(hill.eve), ELSEWHERE)
        for crawler in (nobody, other):
            crawler.crawl(*(f"{HOME}{path}" for path in PRIVATE))
            assert [*crawler.find({**secret, **private})] == []
        author = Crawler(base, hill.headers(hill.ada), ELSEWHERE)
        author.crawl()
    assert [*author.find(secret)] == []
    assert {what for what, _ in author.find(private)} >= {"what a bot said", "a log"}
    assert any(path.startswith(HOME) for path in nobody.taken)


def test_no_page_that_depends_on_the_author_is_cached(hill: PlayedHill) -> None:
    """Neither an author's page nor a public page, which differs for an author, may be cached."""
    with open_test_client(build_hill_app(hill.access)) as client:
        for path in ("", *PRIVATE):
            answer = client.get(HOME + path, headers=hill.headers(hill.ada))
            assert answer.headers["cache-control"] == "no-store", path


def test_an_author_sees_what_a_verdict_quotes_when_its_deal_is_over(
    hill: PlayedHill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question, the answer and stderr are shown without paths of the host once the deal is over, and no word of them before."""
    with open_test_client(build_hill_app(hill.access)) as client:

        def quoted() -> str:
            page = client.get("/hill/tournament/bots/leaky", headers=hill.headers(hill.ada)).text
            assert "canary-stderr" in page
            assert str(hill.file.parent) not in page
            return page.split(f"<summary>{OPEN}.")[1].split("</details>")[0]

        assert "Not shown yet" in quoted()
        assert "<dt>Answer</dt>" not in quoted()
        monkeypatch.setattr("arena_hill.web.own_bots.is_public", lambda *_: True)
        assert "<dt>Answer</dt>" in quoted()


def test_no_door_tells_an_author_a_path_of_the_host(own: PlayedHill) -> None:
    """Pages, documents and streams give the reason why a bot cannot play without the host's folders."""
    hill = own.access.hill
    why = f"{hill.copies.path}/0123456789ab/bot.py: no such file in {hill.spec.home}/x"
    edit_database(own.file, "UPDATE entrants SET state = 'unfit', why = :why", why=why)
    api = f"/api/v1/submissions/{own.number}"
    pages = (f"submissions/{own.number}", f"submissions/{own.number}?part=submission", "bots/leaky")
    with open_test_client(build_hill_app(own.access)) as client:
        for path in (api, f"{api}/events", *(f"{HOME}{page}" for page in pages)):
            told = client.get(path, headers=own.headers(own.ada)).text
            assert "bot/bot.py: no such file in .../x" in told, path
            assert str(own.file.parent) not in told, path
    (row,) = (row for row in list_bots(own.access) if row.name == "leaky")
    assert row.why == why, "the host reads it"


def test_an_author_downloads_the_finished_matches_of_a_bot(hill: PlayedHill) -> None:
    """Each transcript in the file can be verified, and those of the deal that is not over are left out."""
    with open_test_client(build_hill_app(hill.access)) as client:
        answer = client.get(
            "/hill/tournament/bots/leaky/matches.zip", headers=hill.headers(hill.ada)
        )
    with ZipFile(io.BytesIO(answer.content)) as file:
        assert file.testzip() is None
        names = file.namelist()
        assert sorted(names) == sorted(
            f"leaky/{deal}.{rotation}.jsonl" for deal in range(OPEN) for rotation in range(3)
        )
        for name in names:
            lines = file.read(name).decode().splitlines()
            verify(get_plugins().find_game("bs"), parse_lines(lines))
            assert "canary-stderr" not in lines[-1]
            assert all(seat["bot"] == seat["name"] for seat in json.loads(lines[0])["seats"])


def test_an_author_makes_a_source_public(own: PlayedHill) -> None:
    """A source is public as long as its version is in, and its name is not hidden."""
    path = f"/hill/tournament/submissions/{own.number}/source"
    database = own.access.store

    def seen(client: TestClient) -> int:
        mine = client.get(path, headers=own.headers(own.ada))
        assert ZipFile(io.BytesIO(mine.content)).read("bot") == b"canary-source"
        assert re.search(
            r'attachment; filename="leaky-\w+\.zip"', mine.headers["content-disposition"]
        )
        lists = [client.get(f"/hill/tournament/{page}").text for page in ("", "sources")]
        status = client.get(path).status_code
        assert {text.count("Source of leaky") for text in lists} == {int(status == 200)}
        return status

    edit_database(own.file, "UPDATE entrants SET state = 'active'")
    with open_test_client(build_hill_app(own.access)) as client:
        assert seen(client) == 404
        client.post(
            "/hill/tournament/bots/leaky/publish",
            data={"public": "yes"},
            headers=own.headers(own.ada),
        )
        assert seen(client) == 200
        assert database.host_actions.hide("leaky", "rude") == "bot_1"
        front = client.get("/hill/tournament/").text
        assert "bot_1" in front
        assert "leaky" not in front
        assert seen(client) == 404


@pytest.mark.parametrize("sources", ["author", "all"])
def test_only_the_version_that_takes_part_is_public(own: PlayedHill, sources: str) -> None:
    """The author makes older versions public one by one."""
    access, headers = own.access, own.headers(own.ada)
    path = f"/hill/tournament/submissions/{own.number}"
    own.file.write_text(f'{own.file.read_text()}sources = "{sources}"\n')
    access = HillAccess.open(own.file)
    author = find_author(access.store)
    access.store.act_as(author).set_source_visibility("leaky", public=sources == "author")
    with open_test_client(build_hill_app(access)) as client:

        def look() -> tuple[int, int]:
            listed = client.get("/hill/tournament/sources").text.count("Source of leaky")
            return client.get(f"{path}/source").status_code, listed

        def publish(public: str, who: Mapping[str, str] = headers) -> int:
            form = {"public": public}
            return client.post(
                f"{path}/publish", data=form, headers=who, follow_redirects=False
            ).status_code

        edit_database(own.file, "UPDATE entrants SET state = 'active'")
        assert look() == (200, 1)
        for state in ("replaced", "waiting", "set aside", "unfit"):
            edit_database(own.file, "UPDATE entrants SET state = :state", state=state)
            assert look() == (404, 0), state
            assert client.get(f"{path}/source", headers=headers).status_code == 200
        assert publish("yes", own.headers(own.eve)) == 404
        assert publish("yes") == 303
        assert "whichever version takes part" in client.get(path, headers=headers).text
        assert look() == (200, 1)
        assert publish("no") == 303
        assert look() == (404, 0)
        publish("yes")
        access.store.host_actions.withdraw("leaky", "copied")
        assert look() == (404, 0)


def test_a_deleted_upload_is_offered_nowhere(own: PlayedHill) -> None:
    """The old upload of a published version that was replaced is deleted; then no page links it, nor lists it."""
    access, headers = own.access, own.headers(own.ada)
    author, source = find_author(access.store), f"submissions/{own.number}/source"
    access.store.act_as(author).set_submission_visibility(own.number, public=True)
    edit_database(own.file, "UPDATE entrants SET state = 'replaced'")
    pages = ("", "sources", "bots/leaky", f"submissions/{own.number}")
    with open_test_client(build_hill_app(access)) as client:

        def find_links() -> list[str]:
            texts = {path: client.get(HOME + path, headers=headers).text for path in pages}
            return [path for path, text in texts.items() if source in text]

        assert find_links() == [*pages]
        access.store.submissions.forget_old(float("inf"), (), last_command=1)
        assert find_links() == []
        assert client.get(HOME + source, headers=headers).status_code == 404
        assert "Make source public" not in client.get(HOME + pages[-1], headers=headers).text


def test_a_bot_that_is_withdrawn_after_it_played_has_entered(own: PlayedHill) -> None:
    """All stages of its submission are done, and its state is that of its version."""
    access, headers = own.access, own.headers(own.ada)
    author = find_author(access.store)
    access.store.act_as(author).withdraw("leaky")
    with open_test_client(build_hill_app(access)) as client:
        for state in ("active", "withdrawn"):  # before and after the coordinator carries it out
            edit_database(own.file, "UPDATE entrants SET state = :state", state=state)
            if state == "withdrawn":
                edit_database(own.file, "UPDATE facts SET value = '2' WHERE name = 'orders'")
            page = client.get(f"{HOME}submissions/{own.number}", headers=headers).text
            assert "<h2>Withdrawn</h2>" in page
            assert "Make source public" not in page
            assert page.count('<li class="done">') == 5, state
    submission = access.store.submissions.find(own.number)
    assert submission
    assert submission.state is SubmissionState.ACCEPTED


@pytest.mark.parametrize(
    ("state", "mark"),
    [("active", "done"), ("replaced", "done"), ("set aside", "done"), ("unfit", "wrong")],
)
def test_a_version_that_never_started_has_not_entered(
    own: PlayedHill, state: str, mark: str
) -> None:
    """The last stage went wrong for it, and is done for those that played, whatever they are now."""
    edit_database(own.file, "UPDATE entrants SET state = :state", state=state)
    with open_test_client(build_hill_app(own.access)) as client:
        page = client.get(f"{HOME}submissions/{own.number}", headers=own.headers(own.ada)).text
    marks = re.findall(r'<li class="(done|now|wrong|open)"', page)
    assert marks == ["done"] * 4 + [mark]


@pytest.mark.parametrize("way", ["bot", "submission", "all"])
def test_a_public_source_stays_however_many_bots_come_after_it(own: PlayedHill, way: str) -> None:
    """The page of sources lists each public one, not only those of the newest submissions."""
    if way == "all":
        own.file.write_text(f'{own.file.read_text()}sources = "all"\n')
    access = HillAccess.open(own.file)
    edit_database(own.file, "UPDATE entrants SET state = 'active'")
    author = access.store.act_as(find_author(access.store))
    author.set_source_visibility("leaky", public=way == "bot")
    author.set_submission_visibility(own.number, public=way == "submission")
    rows = [(f"{number:064x}", f"{number:012x}") for number in range(1000)]
    with access.store.transactions.begin_write() as transaction:
        transaction.connection.execute_many(
            "INSERT INTO submissions (bot, sha256, size, state, why, version, log, received, state_since,"
            " tries) VALUES (1, ?, 1, 'accepted', '', ?, '', 0, 0, 0)",
            rows,
        )
    with open_test_client(build_hill_app(access)) as client:
        assert client.get(f"{HOME}sources").text.count("Source of leaky") == 1


def test_an_author_sees_the_own_bot_whose_name_is_hidden(own: PlayedHill) -> None:
    """Its author finds the bot by its name, and reads what others see in place of it."""
    own.access.store.host_actions.hide("leaky", "rude")
    edit_database(own.file, """INSERT INTO facts VALUES ('hidden', '{"leaky": "bot_1"}')""")
    with open_test_client(build_hill_app(own.access)) as client:
        headers = own.headers(own.ada)
        page = client.get("/hill/tournament/bots/leaky", headers=headers).text
        assert "others see it as bot_1" in page
        assert "t/tournament/bots/bot_1" in page
        assert "canary-stderr" in page
        assert "8 malformed" in page
        sent = client.get("/hill/tournament/bots/leaky/matches.zip", headers=headers).content
    with ZipFile(io.BytesIO(sent)) as file:
        texts = [file.read(name).decode() for name in file.namelist()]
    assert len(texts) == 3 * OPEN
    assert all("bot_1" in text.partition("\n")[0] for text in texts)
