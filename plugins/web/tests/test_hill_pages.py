"""Pages of an open hill, as authors and others see them; the tests are the porter."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from attrs import evolve, frozen
from playwright.sync_api import Page, expect
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.plugins import plugins
from arena.records import parse, verify
from arena.tournament import Entry, Store
from arena_web.app import application
from arena_web.hill.api import UPLOADS, Api
from arena_web.hill.office import Office
from arena_web.hill.pages import routes
from arena_web.hill.people import hashed
from arena_web.hill.submissions import Step, Submission
from arena_web.hill.visiting import COOKIE
from arena_web.pages import Pages as TournamentPages
from arena_web.serving import running
from tests.browser import Pages, in_every_light, looked_over
from tests.hills import archive, office
from tests.programs import PYTHON
from tests.served import changed, played, visiting

HOSTILE = '<b id="hostile">x</b><script>alert(1)</script> {{ 7 * 7 }} \u202e\x1b[31m'
LOG = f"gcc bot.c\n{HOSTILE}\ncanary-log"
REPORT: dict[str, Any] = {
    "format": 1, "game": "gops", "bot": "mine", "passed": False, "left_out": "",
    "parts": [{"name": "2 play, and it sits in every seat", "state": "wrong"},
              {"name": "its input ends before anything was sent", "state": "warn"}],
    "findings": [
        {"kind": "malformed", "fault": True, "situation": "2 play", "detail": HOSTILE,
         "advice": "Is it a number?", "seat": 1, "ask": 3, "sent": ["Competition card: 4"] * 12,
         "answered": HOSTILE, "allowed": "1, 2 or 3", "stderr": f"canary-stderr\n{HOSTILE}",
         "again": "arena match gops /canary-path/bot", "times": 2},
        {"kind": "lingers", "fault": False, "situation": "its input ends", "detail": "it goes on",
         "advice": "End with the input.", "seat": None, "ask": None, "sent": [], "answered": None,
         "allowed": "", "stderr": "", "again": "", "times": 1},
    ],
    "facts": {"protocol": "text", "seed": "1", "matches": 4, "answers": 7, "first_answer": 0.2,
              "slowest_answer": None, "alike": False, "ends_by_itself": True, "leaves": 0,
              "stderr": 0},
}  # fmt: skip
GOOD = {**REPORT, "passed": True, "findings": [], "parts": []}
BS = """
game = "bs"
table = 3
matches = 9
duplicate = true
check = false
"""
OPEN = 2  # the deal that is not over
LEAKS = """
import sys
print("canary-stderr", __file__, file=sys.stderr, flush=True)
print("leaky", flush=True)
for line in sys.stdin:
    print(line.strip(), flush=True)
"""
"""Gives its name, and then answers with all that it is told."""


def whole(at: Office) -> Starlette:
    """Return the application with all pages of a hill, and its interface."""
    offices = {at.name: at}
    api, shown = Api(offices, limits={}), TournamentPages({at.name: at.hill})
    made = [*shown.routes, *routes(offices), *api.routes]
    return application(made, limits={}, closing=[api.close, shown.close], uploads=UPLOADS)


@contextmanager
def opened(at: Office) -> Iterator[str]:
    """Serve a hill, and give the address of its page."""
    with running(whole(at)) as address:
        yield f"{address}hill/{at.name}/"


def pressed(page: Page, name: str) -> None:
    """Press a button by keyboard alone."""
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def send(page: Page, bot: str, text: str) -> None:
    """Send a bot by the form, from the hill's page."""
    page.locator("#bot").fill(bot)
    sent = {"name": "mine.zip", "mimeType": "application/zip", "buffer": archive(file=text)}
    page.locator("#file").set_input_files(sent)  # type: ignore[arg-type]  # it is such a file
    pressed(page, "Send")


def took(at: Office) -> Submission:
    """Take a submission, as the porter does."""
    taken = at.register.take()
    assert taken
    return taken


def test_an_author_joins_sends_and_is_refused(pages: Pages, tmp_path: Path) -> None:
    """By a link that is used up by the button alone; each step is seen as it comes, and why."""
    pages.allowed |= {"409 (Conflict)", "410 (Gone)"}
    at = office(tmp_path, contact='"host@example.org"')
    link = "join/" + at.register.invite("ada")
    with opened(at) as hill:
        page = pages.open(hill)
        expect(page.locator("#upload")).to_have_count(0)
        expect(page.locator("#main .note")).to_contain_text("host@example.org")
        in_every_light(page)
        page.goto(hill + link)
        page.goto(hill + link)
        looked_over(page)
        pressed(page, "Join as ada")
        page.wait_for_url(hill)
        send(page, "mine", HOSTILE)
        page.wait_for_url("**/submissions/1")
        expect(page.locator("#part .live")).to_have_text("live")
        expect(page.locator(".verdict")).to_contain_text("It is the next.")
        one = took(at)
        expect(page.locator(".verdict h2")).to_have_text("It is being unpacked")
        at.register.move(one.id, Step.BUILDING)
        expect(page.locator(".stages .now")).to_contain_text("built")
        looked_over(page)
        at.register.move(one.id, Step.CHECKING, log=LOG)
        at.register.move(one.id, Step.REFUSED, HOSTILE, report=REPORT)
        expect(page.locator(".stages .wrong")).to_contain_text("checked")
        expect(page.locator("#part .live")).to_have_text("")
        expect(page.locator(".finding")).to_have_count(2)
        expect(page.locator(".finding .advice").first).to_have_text("Is it a number?")
        page.locator("summary").click()
        expect(page.locator(".logged pre")).to_contain_text("canary-log")
        expect(page.locator("#hostile")).to_have_count(0)
        assert "\u202e" not in page.content()
        assert "canary-path" not in page.content()
        in_every_light(page)
        page.goto(hill)
        expect(page.locator(".heading")).to_contain_text("You are ada")
        expect(page.locator("table").first).to_contain_text("5.5 of 6")
        in_every_light(page)
        send(page, "other", "1")
        page.wait_for_url("**/submissions/2")
        page.goto(hill)
        send(page, "other", "2")
        expect(page.locator("#refused")).to_contain_text("submission 2 is not through yet")
        page.goto(hill + link)
        expect(page.locator("h1")).to_have_text("This link is used up")


def test_an_author_of_bots_that_are_in(pages: Pages, own: Hill) -> None:
    """One more comes in; a token is shown once; a bot is published, withdrawn; signing out ends it."""
    at = own.office
    with opened(at) as address:
        page = pages.open(f"{address}join/{at.register.invite('ada')}")
        pressed(page, "Join as ada")
        page.wait_for_url(address)
        expect(page.locator("table").first).to_contain_text("leaky")
        send(page, "mine", "new")
        page.wait_for_url(f"**/submissions/{own.number + 1}")
        come_in(page, own)
        page.goto(address)
        page.locator("#label").fill(HOSTILE)
        pressed(page, "Make it")
        key = page.locator("[data-copy]").first.inner_text()
        expect(page.locator("[data-copy]").nth(1)).to_have_text(
            f"ARENA_TOKEN={key} arena submit my_bot --to {address}"
        )
        known = at.register.who(key)
        assert known
        assert known.name == "ada"
        looked_over(page)
        page.goto(address)
        assert key not in page.content()
        expect(page.locator("#hostile")).to_have_count(0)
        page.locator("tr", has_text="submit and read").get_by_role("button").press("Enter")
        expect(page.locator("tr", has_text="submit and read")).to_have_count(0)
        assert at.register.who(key) is None
        page.get_by_role("link", name="leaky").first.click()
        expect(page.locator(".finding").first).to_be_visible()
        in_every_light(page)
        pressed(page, "Show it to everybody")
        expect(page.get_by_role("button", name="Show it to nobody else")).to_be_visible()
        assert at.register.submissions(bot="leaky")[0].public
        page.locator("summary", has_text="Withdraw").press("Enter")
        pressed(page, "Withdraw leaky now")
        expect(page.locator("td .badge").first).to_have_text("withdrawn")
        page.goto(f"{address}languages")
        expect(page.locator("table")).to_contain_text("Python 3")
        looked_over(page)
        page.get_by_role("link", name="How to take part").click()
        pressed(page, "Sign out")
        expect(page.locator("#upload")).to_have_count(0)
        page.goto(address)
        expect(page.locator("#upload")).to_have_count(0)


def come_in(page: Page, hill: Hill) -> None:
    """Let in what was sent last, as porter and coordinator do, and see it on its page."""
    at, one = hill.office, took(hill.office)
    at.register.move(one.id, Step.CHECKING, report=GOOD)
    assert at.register.fit(one.id, Entry("mine", "0123456789ab", "bots/0123456789ab"))
    expect(page.locator(".verdict h2")).to_have_text("It passed")
    changed(
        hill.file,
        "INSERT INTO entrants SELECT 4, 'mine', '0123456789ab', bot, keeps, containment, state, why"
        " FROM entrants WHERE id = 1",
        "UPDATE facts SET value = '2' WHERE name = 'orders'",
    )
    expect(page.locator(".verdict h2")).to_have_text("It is in")
    expect(page.locator(".stages .done")).to_have_count(5)
    looked_over(page)


@frozen
class Hill:
    """A hill where bots have played, and who has sent one of them."""

    office: Office
    file: Path
    ada: str  # her session's key
    eve: str  # another author's
    number: int  # of ada's submission

    def headers(self, key: str) -> dict[str, str]:
        """Return what a browser with this session sends."""
        return {"Cookie": f"{COOKIE}={key}", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def hill(tmp_path_factory: pytest.TempPathFactory) -> Hill:
    """Play a tournament of which one deal is not over, and open it with one of its bots as ada's."""
    tmp_path = tmp_path_factory.mktemp("hill")
    (tmp_path / "leaks.py").write_text(LEAKS)
    leaky = " ".join((*PYTHON[:-1], str(tmp_path / "leaks.py")))
    file = played(tmp_path, "honest", "liar", text=BS, leaky=leaky)
    changed(
        file,
        "DELETE FROM transcripts WHERE deal = 2 AND rotation = 2",
        "DELETE FROM seats WHERE deal = 2 AND rotation = 2",
        "DELETE FROM matches WHERE deal = 2 AND rotation = 2",
        "INSERT INTO facts VALUES ('orders', '1')",
    )  # fmt: skip
    text = file.read_text().replace("matches = 9\n", "")
    file.write_text(f"{text}\n[hill]\n")
    at = Office.open(file)
    with Store.open(at.spec.database, write=False) as store:
        entry = next(one for one in store.entries() if one.name == "leaky")
    key, eve = (at.register.sign_in(name) or "" for name in ("ada", "eve"))
    ada = at.register.who(key)
    assert ada
    data = archive(bot="canary-source")
    kept = at.uploads.keep(data)
    sent, _ = at.register.submit(ada.id, "leaky", kept, len(data), at.config)
    at.register.take()
    at.register.move(sent.id, Step.CHECKING, log=LOG, report=GOOD)
    assert at.register.fit(sent.id, entry)
    return Hill(at, file, key, eve, sent.id)


@pytest.fixture
def own(hill: Hill, tmp_path: Path) -> Hill:
    """Return a hill like that one, for a test that changes it."""
    copied = shutil.copytree(hill.file.parent, tmp_path / "own") / hill.file.name
    return evolve(hill, office=Office.open(copied), file=copied)


PRIVATE = ("submissions/1", "submissions/1?part=submission", "submissions/1/source", "bots/leaky",
           "bots/leaky/matches.zip")  # fmt: skip


def test_what_is_an_authors_own_is_no_page_for_others(hill: Hill) -> None:
    """Neither are its orders; nothing of it stands on the pages of all."""
    with visiting(whole(hill.office)) as client:
        base = "/hill/tournament/"
        for path in PRIVATE:
            assert client.get(base + path, headers=hill.headers(hill.ada)).status_code == 200
            for headers in ({}, hill.headers(hill.eve), hill.headers("arena_" + "x" * 43)):
                assert client.get(base + path, headers=headers).status_code == 404
        for path in ("bots/leaky/withdraw", "bots/leaky/publish", "keys", "keys/1/end"):
            for headers in ({"Sec-Fetch-Site": "same-origin"}, hill.headers(hill.eve)):
                answer = client.post(base + path, headers=headers)
                assert answer.status_code in (404, 422), path
            assert client.get(base + path).status_code == 405
        for path in ("submissions/99999999999999999999", "bots/nobody", "join/", "../nothing/"):
            assert client.get(base + path, headers=hill.headers(hill.ada)).status_code == 404
        canaries = ["canary", hashed(hill.ada), hill.ada, hill.eve, str(hill.file.parent)]
        for path in ("", "languages", "join/none", "../../t/tournament/bots/leaky"):
            shown = [
                client.get(base + path, headers=hill.headers(hill.eve)),
                client.get(base + path),
            ]
            assert [one for one in canaries for page in shown if one in page.text] == []
        assert hill.office.register.submissions()[0].state is Step.FIT


def test_nothing_of_an_author_is_kept_by_a_cache(hill: Hill) -> None:
    """Nor is a page of all, which is another one for an author."""
    with visiting(whole(hill.office)) as client:
        for path in ("", *PRIVATE):
            answer = client.get("/hill/tournament/" + path, headers=hill.headers(hill.ada))
            assert answer.headers["cache-control"] == "no-store", path


def test_an_author_sees_what_a_verdict_quotes_when_its_deal_is_over(
    hill: Hill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question, what came and its stderr without paths of the host; of an open deal no word."""
    with visiting(whole(hill.office)) as client:

        def quoted() -> str:
            page = client.get("/hill/tournament/bots/leaky", headers=hill.headers(hill.ada)).text
            assert "canary-stderr" in page
            assert str(hill.file.parent) not in page
            return page.split(f"<summary>{OPEN}.")[1].split("</details>")[0]

        assert "Not shown yet" in quoted()
        assert "It answered" not in quoted()
        monkeypatch.setattr("arena_web.hill.failures.is_public", lambda *_: True)
        assert "It answered" in quoted()


def test_all_matches_of_a_bot_are_one_file(hill: Hill) -> None:
    """Each transcript holds; those of the deal that is not over are left out."""
    with visiting(whole(hill.office)) as client:
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
            verify(plugins().game("bs"), parse(lines))
            assert "canary-stderr" not in lines[-1]
            assert all(seat["bot"] == seat["name"] for seat in json.loads(lines[0])["seats"])


def test_a_source_is_everybodys_where_its_author_says_so(own: Hill) -> None:
    """As long as it is in, and its name is not hidden."""
    path = f"/hill/tournament/submissions/{own.number}/source"
    register = own.office.register

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

    changed(own.file, "UPDATE entrants SET state = 'active'")
    with visiting(whole(own.office)) as client:
        assert seen(client) == 404
        client.post(
            "/hill/tournament/bots/leaky/publish",
            data={"public": "yes"},
            headers=own.headers(own.ada),
        )
        assert seen(client) == 200
        assert register.hide("leaky", "rude") == "bot_1"
        front = client.get("/hill/tournament/").text
        assert "bot_1" in front
        assert "leaky" not in front
        assert seen(client) == 404


def test_an_author_of_a_bot_whose_name_is_hidden_sees_it_all_the_same(own: Hill) -> None:
    """By its name, and what others see in its place, which stands in the transcripts."""
    own.office.register.hide("leaky", "rude")
    changed(own.file, """INSERT INTO facts VALUES ('hidden', '{"leaky": "bot_1"}')""")
    with visiting(whole(own.office)) as client:
        headers = own.headers(own.ada)
        page = client.get("/hill/tournament/bots/leaky", headers=headers).text
        assert "others see it as bot_1" in page
        assert "t/tournament/bots/bot_1" in page
        assert "canary-stderr" in page
        assert "7 malformed" in page
        sent = client.get("/hill/tournament/bots/leaky/matches.zip", headers=headers).content
    with ZipFile(io.BytesIO(sent)) as file:
        texts = [file.read(name).decode() for name in file.namelist()]
    assert len(texts) == 3 * OPEN
    assert all("bot_1" in text.partition("\n")[0] for text in texts)
