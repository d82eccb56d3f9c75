"""A hill whose disk or database fails: it says so truthfully, and goes on when that is mended."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from attrs import define

from arena_hill.db.accounts import TokenScope
from arena_hill.hill_access import HillAccess
from arena_hill.web import health, timed_reads
from arena_hill.web.identity import get_cookie_name
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import (
    build_author_headers,
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
)
from tests.support.hill.hill_folders import await_
from tests.support.hill.played_hill import build_hill_app
from tests.support.programs import SLACK, TIMEOUT
from tests.support.sandboxes.memory_disks import Disk, mount_disk
from tests.support.tournaments.postgresql import Server
from tests.support.tournaments.stored_matches import ADA

pytest_plugins = "tests.support.tournaments.databases"

PROBLEM = "application/problem+json"
SOON = 15.0  # seconds within which a fault has to be told
ZIPPED = {"Content-Type": "application/zip"}


@define
class Site:
    """A hill that is served, and one of its authors who visits it."""

    hill: HillAccess
    client: httpx2.Client
    session: dict[str, str]  # the headers of the author's browser

    def causes(self) -> dict[str, str]:
        """Return what the hill says is wrong with it, by the part that is concerned.

        The processes that play and judge do not run here, and are left out.
        """
        answer = self.client.get("/healthz", timeout=SOON + SLACK)
        assert answer.status_code == 503
        return {problem["part"]: problem["cause"] for problem in answer.json()["problems"]}

    def orders(self) -> Iterator[httpx2.Response]:
        """Give orders that write something: by programs, and in a browser."""
        bot, ask = "/api/v1/hills/gops/bots/mine", self.client
        yield self.sent()
        yield ask.delete(bot)
        yield ask.patch(bot, json={"public": True})
        yield ask.post("/hill/gops/tokens", data={"scope": "read"}, headers=self.session)
        yield ask.post("/hill/gops/leave", headers=self.session)

    def sent(self, text: str = "2") -> httpx2.Response:
        path = "/api/v1/hills/gops/bots/mine"
        return self.client.put(path, content=build_zip(bot=text), headers=ZIPPED)


@contextmanager
def open_site(hill: HillAccess) -> Iterator[Site]:
    """Serve a hill where a bot has come in, and visit it as the bot's author."""
    key, session = create_key(hill), hill.store.accounts.sign_in("ada")
    one = hill.intake.submit(find_author(hill.store), "mine", build_zip(bot="1")).submission
    assert hill.store.queue.accept(one.id, ADA)
    enter_bots(hill, ADA)
    browser = {"Cookie": f"{get_cookie_name('gops')}={session}", "Sec-Fetch-Site": "same-origin"}
    with (
        run_in_thread(build_hill_app(hill)) as address,
        httpx2.Client(
            base_url=address, headers=build_author_headers(key), timeout=TIMEOUT, verify=False
        ) as client,
    ):
        yield Site(hill, client, browser)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with mount_disk(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def site(disk: Disk) -> Iterator[Site]:
    with open_site(open_hill_access(disk.folder / "hill")) as site:
        yield site


@pytest.fixture
def server(server: Server) -> Iterator[Server]:
    server.create_empty_database()
    yield server
    server.stop()
    server.start()
    server.make_writable("arena")


@pytest.fixture
def on_server(tmp_path: Path, server: Server) -> Iterator[Site]:
    """Serve a hill whose authors and submissions are in a database of a server."""
    with open_site(
        open_hill_access(tmp_path / "hill", database=f'"{server.build_url("arena")}"')
    ) as site:
        yield site


def see_unwritable(answer: httpx2.Response) -> None:
    """See that an order was not carried out, and that this is the host's to mend."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == PROBLEM
    said = answer.json()
    assert (said["status"], said["retry_after"]) == (503, 60)
    assert "cannot be written" in said["title"]
    assert answer.headers["retry-after"] == "60"


def test_a_hill_takes_nothing_while_its_disk_is_below_its_reserve(site: Site, disk: Disk) -> None:
    """No submission is taken until there is room again, and the host and the author are told."""
    assert site.causes() == {}
    waiting = site.sent("waits").json()["submission"]
    disk.resize(100)
    assert "MB are free on the disk; the reserve is 512 MB" in site.causes()["disk"]
    refused = site.sent()
    said = refused.json()
    assert (refused.status_code, said["retry_after"]) == (503, 600)
    assert refused.headers["content-type"] == PROBLEM
    assert said["title"].startswith("this hill's disk is nearly full")
    told = site.client.get(f"/api/v1/submissions/{waiting}").json()
    assert (told["state"], told["why"][:32]) == ("queued", "this hill's disk is nearly full,")
    front = site.client.get("/hill/gops/", headers=site.session).text
    assert "This hill&#39;s disk is nearly full" in front
    figures = site.client.get("/metrics").text
    assert 'arena_disk_bytes{hill="gops",of="free"} 1.0' in figures
    assert all(str(disk.folder) not in said for said in (refused.text, told["why"], front))
    disk.resize(2048)
    assert site.causes() == {}
    assert site.client.get(f"/api/v1/submissions/{waiting}").json()["why"] == ""
    assert site.sent("waits").status_code == 200


def test_a_hill_goes_on_after_its_disk_was_full(site: Site, disk: Disk) -> None:
    """A hill whose disk was full goes on as soon as there is room."""
    disk.make_full()
    assert "the disk cannot be written: No space left on device" in site.causes()["disk"]
    assert site.sent().status_code == 503
    disk.resize(2048)
    assert site.causes() == {}
    assert site.sent().status_code == 202


def test_a_hill_on_a_read_only_disk_shows_its_pages(site: Site, disk: Disk) -> None:
    """Every order is answered with 503, while pages are shown."""
    disk.make_read_only()
    causes = site.causes()
    assert {*causes} == {"disk", "database", "tournament"}
    assert "Read-only file system" in causes["disk"]
    assert all("readonly" in causes[part] for part in ("database", "tournament"))
    for answer in site.orders():
        see_unwritable(answer)
        assert str(disk.folder) not in answer.text
    assert "mine" in site.client.get("/hill/gops/", headers=site.session).text
    disk.make_writable()
    assert site.causes() == {}
    assert site.sent().status_code == 202


def test_a_replaced_database_is_a_problem_of_health(tmp_path: Path) -> None:
    """The health check names a replaced database, also if the other file is sound."""
    with open_site(open_hill_access(tmp_path / "hill")) as site:
        assert site.causes() == {}
        database = Path(site.hill.hill.spec.database)
        shutil.copy(database, tmp_path / "copy.db")
        (tmp_path / "copy.db").rename(database)
        assert "deleted or replaced while it was in use" in site.causes()["files"]


def test_a_token_is_known_though_its_use_cannot_be_noted(site: Site, disk: Disk) -> None:
    """A page is shown to its author though the database can only be read."""
    unused = site.hill.store.accounts.create_token(
        find_author(site.hill.store), TokenScope.READ, "never used"
    )
    disk.make_read_only()
    answer = site.client.get("/api/v1/me", headers=build_author_headers(unused))
    assert answer.status_code == 200, answer.text


def test_a_browser_is_shown_a_page_about_a_failure(site: Site, disk: Disk) -> None:
    """A person who has pressed a button gets a page about the failure, and not JSON."""
    disk.make_read_only()
    headers = {**site.session, "Accept": "text/html,*/*;q=0.8"}
    answer = site.client.post("/hill/gops/leave", headers=headers)
    assert answer.status_code == 503
    assert answer.headers["content-type"].startswith("text/html")
    assert "This cannot be written at the moment" in answer.text


def test_a_database_server_that_has_stopped_is_a_problem_of_health(
    on_server: Site, server: Server
) -> None:
    """The health check names the server, whose address is told to nobody but the host."""
    assert on_server.causes() == {}
    server.stop()
    causes = on_server.causes()
    assert {*causes} == {"database"}
    assert "failed" in causes["database"]
    for answer in on_server.orders():
        see_unwritable(answer)
        assert str(server.folder) not in answer.text
    shown = on_server.client.get("/api/v1/me")
    assert (shown.status_code, shown.headers["content-type"]) == (503, PROBLEM)
    assert "cannot be read" in shown.json()["title"]


def test_the_health_check_does_not_wait_for_a_server_that_hangs(
    on_server: Site, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The health check answers in time, however often it is asked while the server hangs."""
    monkeypatch.setattr(
        timed_reads, "DEADLINE_SECONDS", 0.5
    )  # a busy machine may miss it elsewhere, too
    with server.pause_for_block():
        for _ in range(2):
            await_(lambda: on_server.causes() == {"database": health.HANG_MESSAGE})
    await_(lambda: on_server.causes() == {})


def test_a_read_only_server_is_a_problem_of_health(on_server: Site, server: Server) -> None:
    """The health check names a server that has become a standby of another one."""
    server.make_read_only("arena")
    causes = on_server.causes()
    assert {*causes} == {"database"}
    assert "read-only" in causes["database"]
    for answer in on_server.orders():
        see_unwritable(answer)
    assert on_server.client.get("/api/v1/me").status_code == 200


def test_the_health_check_looks_at_the_tournaments_server_too(
    tmp_path: Path, server: Server
) -> None:
    """The database of the matches is looked at like that of the authors."""
    file = open_hill_access(tmp_path / "hill").hill.spec.home / "gops.toml"
    file.write_text(f'database = "{server.build_url("arena")}"\n{file.read_text()}')
    with open_site(HillAccess.open(file)) as site:
        assert site.causes() == {}
        server.make_read_only("arena")
        assert site.causes().keys() == {"tournament"}
        server.stop()
        assert site.causes().keys() == {"tournament"}
        see_unwritable(site.sent())
