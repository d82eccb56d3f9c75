"""Pages of an open hill, as authors and others see them; the tests are the judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from arena.tournament.entries import Entry
from arena_hill.db.submissions import Findings, Submission
from arena_hill.db.transactions import HillSnapshot, HillTransactions
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web import submission_stream
from arena_hill.web.identity import get_cookie_name
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import build_zip, open_hill_access, sign_in
from tests.support.hill.played_hill import GOOD, PlayedHill, build_hill_app
from tests.support.tournaments.served import edit_database
from tests.support.web.browser import Pages, check_page, check_page_in_all_themes

HOSTILE = '<b id="hostile">x</b><script>alert(1)</script> {{ 7 * 7 }} \u202e\x1b[31m'
SAME = {"Sec-Fetch-Site": "same-origin"}
LOG = f"gcc bot.c\n{HOSTILE}\ncanary-log"
REPORT: dict[str, Any] = {
    **GOOD,
    "passed": False,
    "parts": [{"name": "2 players, in every seat", "state": "wrong"},
              {"name": "end of input before the match", "state": "warn"}],
    "findings": [
        {"kind": "malformed", "fault": True, "situation": "2 players", "detail": HOSTILE,
         "advice": "Is it a number?", "seat": 1, "ask": 3, "sent": ["Competition card: 4"] * 12,
         "answered": HOSTILE, "allowed": "1, 2 or 3", "stderr": f"canary-stderr\n{HOSTILE}",
         "again": "arena match gops /canary-path/bot", "times": 2},
        {"kind": "lingers", "fault": False, "situation": "its input ends", "detail": "it goes on",
         "advice": "End with the input.", "seat": None, "ask": None, "sent": [], "answered": None,
         "allowed": "", "stderr": "", "again": "", "times": 1},
    ],
}  # fmt: skip


@contextmanager
def open_hill(at: HillAccess) -> Iterator[str]:
    """Serve a hill, whose pages soon show what has changed, and give the address of its page."""
    with pytest.MonkeyPatch.context() as patch, run_in_thread(build_hill_app(at)) as address:
        patch.setattr(submission_stream, "POLL_SECONDS", 0.05)
        yield f"{address}hill/{at.hill.name}/"


def test_a_page_reads_a_state_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front page of an author with many bots opens the hill's database as often as that of one with few."""
    at = open_hill_access(tmp_path)
    openings: list[HillTransactions] = []
    author = sign_in(at.store)
    session = at.store.accounts.sign_in("ada")
    begin_read = HillTransactions.begin_read

    def count(transactions: HillTransactions) -> AbstractContextManager[HillSnapshot]:
        openings.append(transactions)
        return begin_read(transactions)

    counts = []
    with TestClient(build_hill_app(at), base_url="http://localhost") as client:
        client.headers["Cookie"] = f"{get_cookie_name('gops')}={session}"
        monkeypatch.setattr(HillTransactions, "begin_read", count)
        for name in ("one", "two", "three"):
            at.intake.submit(author, name, build_zip(bot=name))
            openings.clear()
            assert name in client.get("/hill/gops/").text
            counts.append(len(openings))
    assert {*counts} == {counts[0]}
    assert counts[0] <= 6


def test_two_hills_of_a_host_have_an_author_each(tmp_path: Path) -> None:
    """A browser sends its cookies to all ports of a host: who leaves one hill stays at the other."""
    gops, small = (open_hill_access(tmp_path / name, name=name) for name in ("gops", "small"))
    with (
        TestClient(build_hill_app(gops), base_url="https://localhost", headers=SAME) as first,
        TestClient(build_hill_app(small), base_url="https://localhost:444", headers=SAME) as other,
    ):

        def list_authors() -> list[str | None]:
            other.cookies.update(first.cookies)
            answers = [visitor.get("/api/v1/me").json() for visitor in (first, other)]
            hills = [answer.get("hills", {}) for answer in answers]
            return [hills[0].get("gops", {}).get("author"), hills[1].get("small", {}).get("author")]

        first.post(f"/hill/gops/join/{gops.store.accounts.invite('ada')}")
        assert list_authors() == ["ada", None]
        other.post(f"/hill/small/join/{small.store.accounts.invite('eve')}")
        assert list_authors() == ["ada", "eve"]
        assert first.post("/hill/gops/leave").status_code == 200
        assert list_authors() == [None, "eve"]
        assert "You are <b>eve</b>" in other.get("/hill/small/").text


def test_the_page_of_a_token_says_how_it_is_used(tmp_path: Path) -> None:
    """The page has the setting for a shell and, for a token that submits, the commands to type."""
    at = open_hill_access(tmp_path, git="true")
    with TestClient(build_hill_app(at), base_url="https://localhost", headers=SAME) as visitor:
        visitor.post(f"/hill/gops/join/{at.store.accounts.invite('ada')}")
        submits, reads = (
            visitor.post("/hill/gops/tokens", data={"scope": scope}).text
            for scope in ("submit", "read")
        )
    assert "export ARENA_TOKEN=arena_" in submits
    assert "arena submit my_bot --to https://localhost/hill/gops/" in submits
    assert "git push https://ada:$ARENA_TOKEN@localhost/git/my_bot.git HEAD:main" in submits
    assert "export ARENA_TOKEN=arena_" in reads
    assert "arena submit" not in reads


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def send(page: Page, bot: str, text: str) -> None:
    """Send a bot by the form, from the hill's page."""
    page.locator("#bot").fill(bot)
    sent = {"name": "mine.zip", "mimeType": "application/zip", "buffer": build_zip(file=text)}
    page.locator("#file").set_input_files(sent)  # type: ignore[arg-type]  # it is such a file
    press(page, "Upload bot")


def take(at: HillAccess) -> Submission:
    taken = at.store.queue.take()
    assert taken
    return taken


def come_in(page: Page, hill: PlayedHill) -> None:
    """Let in what was sent last, as judge and coordinator do, and see it on its page."""
    at, one = hill.access, take(hill.access)
    at.store.queue.set_state(one.id, SubmissionState.CHECKING, findings=Findings(report=GOOD))
    assert at.store.queue.accept(one.id, Entry("mine", "0123456789ab", "bots/0123456789ab"))
    expect(page.locator(".verdict h2")).to_have_text("Accepted")
    edit_database(
        hill.file,
        "INSERT INTO entrants SELECT 4, 'mine', '0123456789ab', bot, keeps, containment, state, why"
        " FROM entrants WHERE id = 1",
        "UPDATE facts SET value = '2' WHERE name = 'orders'",
    )
    expect(page.locator(".verdict h2")).to_have_text("In")
    expect(page.locator(".stages .done")).to_have_count(5)
    check_page(page)


def test_an_author_joins_submits_and_is_rejected(pages: Pages, tmp_path: Path) -> None:
    """Only the button uses up an invitation, and the page shows each step of a submission and the reason of its end."""
    pages.allowed |= {"409 (Conflict)", "410 (Gone)"}
    at = open_hill_access(tmp_path, contact='"host@example.org"', git="true")
    link = "join/" + at.store.accounts.invite("ada")
    with open_hill(at) as hill:
        page = pages.open(hill)
        expect(page.locator("#upload")).to_have_count(0)
        expect(page.locator("#main .note")).to_contain_text("host@example.org")
        expect(page.locator(".three")).to_contain_text("/git/my_bot.git HEAD:main")
        check_page(page)
        page.goto(hill + link)
        page.goto(hill + link)
        press(page, "Join as ada")
        page.wait_for_url(hill)
        send(page, "mine", HOSTILE)
        page.wait_for_url("**/submissions/1")
        expect(page.locator("#part .live")).to_have_text("live")
        expect(page.locator(".verdict")).to_contain_text("It is next.")
        one = take(at)
        expect(page.locator(".verdict h2")).to_have_text("Being unpacked")
        at.store.queue.set_state(one.id, SubmissionState.BUILDING)
        expect(page.locator(".stages .now")).to_contain_text("built")
        check_page(page)
        at.store.queue.set_state(one.id, SubmissionState.CHECKING, findings=Findings(log=LOG))
        at.store.queue.set_state(
            one.id, SubmissionState.REJECTED, HOSTILE, findings=Findings(report=REPORT)
        )
        expect(page.locator(".stages .wrong")).to_contain_text("checked")
        expect(page.locator("#part .live")).to_have_text("")
        expect(page.locator(".finding")).to_have_count(2)
        expect(page.locator(".finding .advice").first).to_have_text("Is it a number?")
        page.locator("summary").click()
        expect(page.locator(".logged pre")).to_contain_text("canary-log")
        expect(page.locator("#hostile")).to_have_count(0)
        assert "\u202e" not in page.content()
        assert "canary-path" not in page.content()
        check_page_in_all_themes(page)
        page.goto(hill)
        expect(page.locator(".heading")).to_contain_text("You are ada")
        expect(page.locator("table").first).to_contain_text("5.5 of 6")
        check_page(page)
        unique = Axe().run(page, options={"runOnly": ["landmark-unique"]})
        assert unique.response["violations"] == []
        send(page, "other", "1")
        page.wait_for_url("**/submissions/2")
        page.goto(hill)
        send(page, "other", "2")
        expect(page.locator("#refused")).to_contain_text("submission 2 is still being checked")
        page.goto(hill + link)
        expect(page.locator("h1")).to_have_text("This link does not work any more")


def test_an_author_manages_bots_that_are_in(pages: Pages, own: PlayedHill) -> None:
    """An author submits one more bot, sees a token once, publishes and withdraws a bot, and signs out."""
    at = own.access
    edit_database(own.file, "UPDATE entrants SET state = 'active'")
    with open_hill(at) as address:
        page = pages.open(f"{address}join/{at.store.accounts.invite('ada')}")
        press(page, "Join as ada")
        page.wait_for_url(address)
        expect(page.locator("table").first).to_contain_text("leaky")
        send(page, "mine", "new")
        page.wait_for_url(f"**/submissions/{own.number + 1}")
        come_in(page, own)
        page.goto(address)
        page.get_by_role("link", name="Your tokens").click()
        page.locator("#label").fill(HOSTILE)
        press(page, "Create token")
        key = page.locator("[data-copy]").first.inner_text()
        copied = page.locator("[data-copy]")
        expect(copied.nth(1)).to_have_text(f"export ARENA_TOKEN={key}")
        expect(copied.nth(2)).to_have_text(f"arena submit my_bot --to {address}")
        known = at.store.accounts.identify(key)
        assert known
        assert known.name == "ada"
        check_page(page)
        page.get_by_role("link", name="Back to your tokens").click()
        assert key not in page.content()
        expect(page.locator("#hostile")).to_have_count(0)
        page.locator("tr", has_text="submit and read").get_by_role("button").press("Enter")
        expect(page.locator("tr", has_text="submit and read")).to_have_count(0)
        assert at.store.accounts.identify(key) is None
        page.get_by_role("link", name="Back to your bots").click()
        page.get_by_role("link", name="leaky").first.click()
        expect(page.locator(".finding").first).to_be_visible()
        check_page(page)
        press(page, "Make source public")
        expect(page.get_by_role("button", name="Hide source")).to_be_visible()
        assert at.store.submissions.select(bot="leaky")[0].bot.public
        page.locator("summary", has_text="Withdraw").press("Enter")
        press(page, "Withdraw leaky now")
        expect(page.locator("td .badge").first).to_have_text("withdrawn")
        page.goto(f"{address}languages")
        expect(page.locator("table")).to_contain_text("Python 3")
        check_page(page)
        page.get_by_role("link", name="How to submit a bot").click()
        press(page, "Sign out")
        expect(page.locator("#upload")).to_have_count(0)
        page.goto(address)
        expect(page.locator("#upload")).to_have_count(0)
