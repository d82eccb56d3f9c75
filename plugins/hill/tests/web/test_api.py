"""What programs ask a hill for, by HTTP, of a server that is real."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from subprocess import run
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from attrs import AttrsInstance, define, fields
from starlette.testclient import TestClient

from arena.rules import StorageError
from arena.tournament import State
from arena.tournament.entries import Entry
from arena.tournament.store import Store
from arena.wires import converter
from arena_hill.api_format import HillDocument, SubmissionDocument, UploadAnswer, read_document
from arena_hill.db.accounts import TokenScope
from arena_hill.db.submissions import Findings, Submission
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.unzip import MAX_UPLOAD_BYTES
from arena_hill.upload_folder import UploadFolder
from arena_hill.web import upload_rates
from arena_hill.web.api import MAX_STREAMS_PER_AUTHOR
from arena_hill.web.application import build_hill_application
from arena_hill.web.identity import get_cookie_name
from arena_web.http import request_bodies
from arena_web.http.sse import RETRY_AFTER_SECONDS, FollowerLimit
from arena_web.play.tables import PlayTables
from tests.support.checkout import ROOT
from tests.support.hill.hill_access import (
    build_author_headers,
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_client,
    open_hill_access,
    serve_hill,
)
from tests.support.programs import TIMEOUT
from tests.support.tournaments.stored_matches import ADA, BOB, build_deals, build_result

pytestmark = pytest.mark.slow

BOTS = "/api/v1/hills/gops/bots"
ZIPPED = {"Content-Type": "application/zip"}
PROBLEM = "application/problem+json"


@define
class Site:
    """A hill that is served, and two authors who visit it."""

    hill: HillAccess
    address: str
    ada: httpx2.Client
    bob: httpx2.Client
    stranger: httpx2.Client

    def put(
        self, bot: str = "mine", data: bytes | None = None, headers: Mapping[str, str] = ZIPPED
    ) -> httpx2.Response:
        return self.ada.put(
            f"{BOTS}/{bot}", content=build_zip() if data is None else data, headers=headers
        )

    def sent(self, bot: str = "mine", data: bytes | None = None) -> Submission:
        answer = self.put(bot, data)
        assert answer.status_code == 202, answer.text
        found = self.hill.store.submissions.find(answer.json()["submission"])
        assert found
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    hill = open_hill_access(tmp_path)
    keys = [build_author_headers(create_key(hill, name)) for name in ("ada", "bob")]
    with serve_hill(hill) as address:
        clients = [  # which read no certificates: that takes longer than the test
            httpx2.Client(base_url=address, headers=key, timeout=TIMEOUT, verify=False)
            for key in keys
        ]
        stranger = httpx2.Client(base_url=address, timeout=TIMEOUT, verify=False)
        yield Site(hill, address, clients[0], clients[1], stranger)
        for client in (*clients, stranger):
            client.close()


def accept(hill: HillAccess, submission: Submission, version: str = "ab12") -> Entry:
    entry = Entry(submission.bot.name, version, "copy")
    assert hill.store.queue.accept(submission.id, entry)
    return entry


def read_problem(answer: httpx2.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == PROBLEM
    said = answer.json()
    assert said["status"] == answer.status_code
    assert "\n" not in said["title"]
    return answer.status_code, said["title"]


def list_states(site: Site, number: int) -> list[str]:
    """Follow a submission to the end of its stream; return its states."""
    with site.ada.stream("GET", f"/api/v1/submissions/{number}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [*stream.iter_lines()]
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    return [event["state"] for event in told if "state" in event]


def test_a_bot_is_submitted_and_read_again(site: Site) -> None:
    """An accepted upload is on the disk and in the queue, and its author can read the submission."""
    data = build_zip()
    answer = site.put(data=data)
    sent = answer.json()
    assert (answer.status_code, sent["state"], sent["position"]) == (202, "queued", 0)
    assert site.hill.intake.uploads.path(sha256(data).hexdigest()).read_bytes() == data
    told = site.ada.get(answer.headers["location"])
    assert told.headers["cache-control"] == "no-store"
    assert told.json()["bot"] == "mine"
    assert told.json()["received"].endswith("+00:00")
    again = site.put(data=data)
    assert (again.status_code, again.json()["submission"]) == (200, sent["submission"])


def test_an_upload_that_is_no_bot_is_not_taken(site: Site) -> None:
    """An upload that is not a bot is rejected and leaves nothing behind."""
    several_disks = struct.pack("<4sLQL", b"PK\6\7", 1, 0, 2) + b"PK\5\6" + bytes(18)
    for data in (b"no zip", bytes(100) + several_disks):
        assert read_problem(site.put(data=data)) == (422, "this is not a zip file")
    assert read_problem(site.put(data=b""))[0] == 422
    assert read_problem(site.put("no-name"))[0] == 422
    assert read_problem(site.put("easy")) == (409, "easy is a reserved name: choose another one")
    assert read_problem(site.put(headers={"Content-Type": "application/x-tar"}))[0] == 415
    assert read_problem(site.put(data=b"x" * (MAX_UPLOAD_BYTES + 1)))[0] == 413
    pieces = iter([b"x" * MAX_UPLOAD_BYTES, b"x"])
    chunked = site.ada.put(f"{BOTS}/mine", content=pieces, headers=ZIPPED)
    assert read_problem(chunked) == (
        413,
        f"a request body may have at most {MAX_UPLOAD_BYTES} bytes",
    )
    assert [*site.hill.intake.uploads.folder.glob("*.zip")] == []
    assert site.hill.store.submissions.select() == []


def test_a_full_disk_is_the_hosts_fault(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host is told why the upload cannot be stored, and half an upload does not stay."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        status, said = read_problem(site.put())
    assert (status, "cannot be written" in said) == (503, True)
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in site.hill.intake.uploads.folder.iterdir()] == [".lock"]
    assert site.put().status_code == 202


@pytest.mark.parametrize(
    ("kind", "step"), [(UploadFolder, "delete_unreferenced"), (HillAccess, "read_statuses")]
)
def test_a_failure_after_a_bot_is_queued_does_not_hide_its_number(
    site: Site, monkeypatch: pytest.MonkeyPatch, kind: type, step: str
) -> None:
    """The author is told the number of the submission, though the cleaning up or the look at its state fails."""

    def fail(*_: object) -> None:
        raise StorageError("the disk is away")

    monkeypatch.setattr(kind, step, fail)
    answer = site.put()
    (submission,) = site.hill.store.submissions.select()
    assert (answer.status_code, answer.json()["submission"]) == (202, submission.id)
    assert (answer.json()["state"], answer.json()["over"]) == ("queued", False)


def test_a_failure_after_a_bot_is_refused_does_not_hide_the_reason(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log says what failed at the cleaning up, and the author reads what is wrong with the bot."""

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(UploadFolder, "delete_unreferenced", fail)
    assert read_problem(site.put("hard"))[1] == "hard is a reserved name: choose another one"
    assert "Input/output error" in capsys.readouterr().out + capsys.readouterr().err


def test_only_a_token_of_this_hill_that_may_submit_submits(site: Site) -> None:
    """A bot is taken with a token of this hill alone, and with one that may submit."""
    assert read_problem(site.stranger.put(f"{BOTS}/mine"))[0] == 401
    unknown = site.stranger.get("/api/v1/me", headers=build_author_headers("arena_x"))
    assert read_problem(unknown) == (401, "this token is unknown: create one on the hill's page")
    assert unknown.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    reader = build_author_headers(create_key(site.hill, "ada", TokenScope.READ))
    assert read_problem(site.put(headers={**ZIPPED, **reader}))[0] == 403
    number = site.sent().id
    assert site.stranger.get(f"/api/v1/submissions/{number}", headers=reader).status_code == 200


def test_a_session_submits_only_from_a_page_of_the_site(site: Site) -> None:
    """A cookie alone is not enough, since another site may have made the browser send it."""
    session = site.hill.store.accounts.sign_in("ada")
    cookie = {"Cookie": f"{get_cookie_name(site.hill.hill.name)}={session}", **ZIPPED}
    here = {**cookie, "Sec-Fetch-Site": "same-origin"}
    put = partial(site.stranger.put, f"{BOTS}/mine", content=build_zip())
    assert read_problem(put(headers=cookie))[0] == 403
    assert put(headers=here).status_code == 202


def test_an_author_reads_the_quotas(site: Site) -> None:
    """An author reads what is used and left, and when there is more."""
    for number in range(6):
        submission = site.sent(data=build_zip(bot=str(number)))
        accept(site.hill, submission, f"a{number}")
    refused = site.put(data=build_zip(bot="more"))
    assert read_problem(refused)[0] == 429
    again = int(refused.headers["retry-after"])
    assert refused.json()["retry_after"] == again
    mine = site.ada.get("/api/v1/me").json()["hills"]["gops"]
    assert (mine["author"], mine["scope"], mine["bots"]["used"]) == ("ada", "submit", 1)
    used = mine["submissions"]["mine"]
    assert (used["used"], used["allowed"]) == (6, 6)
    assert 0 <= again - used["more_in"] <= TIMEOUT


def test_an_author_uploads_only_so_often_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tokens of an author count together; what is refused or unchanged does not count."""
    monkeypatch.setattr(upload_rates, "MAX_UPLOADS_PER_AUTHOR", 2)
    hill = open_hill_access(tmp_path)
    keys = [{**build_author_headers(create_key(hill)), **ZIPPED} for _ in range(2)]
    with open_client(hill) as client:
        for name, data in (("mine", b"no zip"), ("no-name", build_zip()), ("easy", build_zip())):
            refused = client.put(f"{BOTS}/{name}", content=data, headers=keys[0])
            assert refused.status_code in (409, 422)
        for name, status in (("mine", 202), ("mine", 200), ("second", 202)):
            received = client.put(f"{BOTS}/{name}", content=build_zip(), headers=keys[0])
            assert received.status_code == status
        often = client.put(f"{BOTS}/other", content=build_zip(), headers=keys[1])
    assert 1500 < int(often.headers["retry-after"]) <= 1800
    assert read_problem(often)[1].startswith("too many uploads in an hour: try again in 30 min")


def test_a_bot_belongs_to_its_author_alone(site: Site) -> None:
    """Other authors can neither submit the bot, nor withdraw or publish it, nor see its submissions."""
    number = site.sent().id
    theirs = site.bob.put(f"{BOTS}/Mine", content=build_zip(), headers=ZIPPED)
    assert read_problem(theirs) == (409, "Mine belongs to another author: choose another name")
    assert read_problem(site.bob.delete(f"{BOTS}/mine"))[0] == 403
    assert read_problem(site.bob.patch(f"{BOTS}/mine", json={"public": True}))[0] == 403
    for path in (f"/api/v1/submissions/{number}", f"/api/v1/submissions/{number}/events"):
        assert read_problem(site.bob.get(path)) == (404, "you have no such submission")
        assert read_problem(site.stranger.get(path))[0] == 401
    assert read_problem(site.ada.get("/api/v1/submissions/99"))[0] == 404
    assert read_problem(site.ada.get(f"/api/v1/submissions/{2**70}"))[0] == 404
    assert read_problem(site.ada.delete(f"{BOTS}/%00"))[0] == 404


def test_an_author_withdraws_a_bot(site: Site) -> None:
    """An author withdraws the own bot, and nobody withdraws a bot that does not exist."""
    number = site.sent().id
    assert site.ada.delete(f"{BOTS}/mine").status_code == 204
    told = site.ada.get(f"/api/v1/submissions/{number}").json()
    assert (told["state"], told["why"], told["over"]) == ("withdrawn", "by its author", True)
    assert read_problem(site.ada.delete(f"{BOTS}/other"))[0] == 404
    assert read_problem(site.ada.delete("/api/v1/hills/other/bots/mine"))[0] == 404


def test_an_author_publishes_a_source(site: Site) -> None:
    """An author makes a source public and private again, and malformed orders are refused."""
    number = site.sent().id
    for public in (True, False):
        assert site.ada.patch(f"{BOTS}/mine", json={"public": public}).status_code == 204
        found = site.hill.store.submissions.find(number)
        assert found
        assert found.bot.public is public
    submission = f"/api/v1/submissions/{number}"
    for public in (True, False):
        assert site.ada.patch(submission, json={"public": public}).status_code == 204
        found = site.hill.store.submissions.find(number)
        assert found
        assert (found.public, found.bot.public) == (public, False)
    assert read_problem(site.bob.patch(submission, json={"public": True}))[0] == 404
    reads = build_author_headers(create_key(site.hill, scope=TokenScope.READ))
    answer = site.stranger.patch(submission, json={"public": True}, headers=reads)
    assert read_problem(answer)[0] == 403
    assert read_problem(site.ada.patch(f"{BOTS}/mine", json={"public": 1}))[0] == 422
    assert read_problem(site.ada.patch(f"{BOTS}/mine", content=b"{"))[0] == 400
    assert read_problem(site.ada.patch(f"{BOTS}/mine", content=b"x" * 9000))[0] == 413


def test_a_submission_is_followed_until_it_is_in(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state comes from the hill's database until the bot is accepted, and from the tournament's afterwards."""
    monkeypatch.setattr("arena_hill.web.submission_stream.POLL_SECONDS", 0.05)
    submission = site.sent()
    with site.ada.stream("GET", f"/api/v1/submissions/{submission.id}/events") as stream:
        said = (line for line in stream.iter_lines() if line.startswith("data: "))
        assert json.loads(next(said)[6:])["state"] == "queued"
        assert site.hill.store.queue.take()
        assert json.loads(next(said)[6:])["state"] == "unpacking"
        entry = accept(site.hill, submission)
        assert json.loads(next(said)[6:])["state"] == "accepted"
        enter_bots(site.hill, entry)
        last = json.loads(next(said)[6:])
        assert (last["state"], last["over"]) == ("in", True)
        assert not [*said]  # not the farewell of a server that stops, after which one comes again
    assert list_states(site, submission.id) == ["in"]


def test_a_fault_ends_the_streams_of_a_submission(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Followers are let go where the poller fails, without a farewell, and may come again."""
    monkeypatch.setattr("arena_hill.web.submission_stream.POLL_SECONDS", 0.05)
    number = site.sent().id
    events = f"/api/v1/submissions/{number}/events"
    with site.ada.stream("GET", events) as stream:
        lines = stream.iter_lines()
        said = next(line for line in lines if line.startswith("data: "))
        assert json.loads(said[6:])["state"] == "queued"
        with monkeypatch.context() as broken:
            broken.setattr(HillAccess, "read_statuses", lambda _: 1 // 0)
            assert not [line for line in lines if line]
    with site.ada.stream("GET", events) as stream:
        assert next(line for line in stream.iter_lines() if line.startswith("data: ")) == said


def test_an_author_has_only_so_many_streams(site: Site) -> None:
    """An author has only so many streams at once, and another author behind the same address has as many."""
    events = f"/api/v1/submissions/{site.sent().id}/events"
    theirs = site.bob.put(f"{BOTS}/bobs", content=build_zip(), headers=ZIPPED).json()["submission"]
    with ExitStack() as open_:
        for _ in range(MAX_STREAMS_PER_AUTHOR):
            open_.enter_context(site.ada.stream("GET", events))
        refused = site.ada.get(events)
        with site.bob.stream("GET", f"/api/v1/submissions/{theirs}/events") as stream:
            assert stream.status_code == 200
    assert (refused.status_code, refused.headers["retry-after"]) == (503, RETRY_AFTER_SECONDS)


def test_streams_of_the_pages_take_no_place_of_an_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author can follow a submission when no visitor can have a stream any more."""
    monkeypatch.setattr(FollowerLimit.__init__, "__defaults__", (0, 0))
    hill = open_hill_access(tmp_path)
    headers = build_author_headers(create_key(hill))
    number = hill.intake.submit(find_author(hill.store), "mine", build_zip()).submission.id
    hill.store.queue.set_state(number, SubmissionState.REJECTED, "it fails")
    enter_bots(hill)
    app = build_hill_application(hill, (), PlayTables())
    with TestClient(app, base_url="http://localhost", headers=headers) as client:
        assert client.get("/t/gops/events").status_code == 503
        followed = client.get(f"/api/v1/submissions/{number}/events")
    assert (followed.status_code, '"rejected"' in followed.text) == (200, True)


def test_a_server_that_ends_says_farewell(tmp_path: Path) -> None:
    """A server that shuts down ends its streams and waits for no follower."""
    hill = open_hill_access(tmp_path)
    key = build_author_headers(create_key(hill))
    number = hill.intake.submit(find_author(hill.store), "mine", build_zip()).submission.id
    with ExitStack() as open_:
        with serve_hill(hill) as address:
            client = open_.enter_context(
                httpx2.Client(base_url=address, headers=key, timeout=TIMEOUT, verify=False)
            )
            events = f"/api/v1/submissions/{number}/events"
            lines = open_.enter_context(client.stream("GET", events)).iter_lines()
            assert json.loads(next(line for line in lines if line.startswith("data: "))[6:])[
                "state"
            ]
        assert [line for line in lines if line] == ["event: bye", "data: {}"]


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (State.ACTIVE, "in"),
        (State.REPLACED, "replaced"),
        (State.ASIDE, "set aside"),
        (State.WAITING, "waiting"),
        (State.UNFIT, "unfit"),
    ],
)
def test_the_state_of_an_entered_bot_is_the_tournaments(
    tmp_path: Path, state: State, shown: str
) -> None:
    """The state of an entered bot comes from the tournament, and is stored only there."""
    hill = open_hill_access(tmp_path)
    create_key(hill)
    submission = hill.intake.submit(find_author(hill.store), "mine", build_zip()).submission
    entry = accept(hill, submission)
    found = hill.store.submissions.find(submission.id)
    assert found
    assert hill.read_statuses().compute_for_author(found).state == "accepted"
    enter_bots(hill, Entry(entry.name, entry.version, "copy", state=state, why="so it is"))
    standing = hill.read_statuses().compute_for_author(found)
    assert (standing.state, standing.why, standing.over) == (shown, "so it is", True)


def test_a_version_that_comes_back_is_accepted_until_it_is_let_in(tmp_path: Path) -> None:
    """A version that was in before is accepted again, until the coordinator lets it in."""
    hill = open_hill_access(tmp_path)
    create_key(hill)
    first = hill.intake.submit(find_author(hill.store), "mine", build_zip()).submission
    entry = accept(hill, first)
    enter_bots(hill, Entry(entry.name, entry.version, "copy", state=State.WAITING))
    receipt = hill.intake.submit(find_author(hill.store), "mine", build_zip())
    second, new = receipt.submission, receipt.is_new
    assert new
    accept(hill, second)
    found = hill.store.submissions.find(second.id)
    assert found
    assert hill.read_statuses().compute_for_author(found).state == "accepted"


def test_hills_are_listed(site: Site) -> None:
    """The list of hills has the settings with which a bot is checked elsewhere."""
    (told,) = site.stranger.get("/api/v1/hills").json()["hills"]
    assert (told["name"], told["game"], told["table"]) == ("gops", "gops", 2)
    assert told["options"]["cards"] == 5
    assert told["time"]["move"]


def test_both_ends_of_the_api_have_one_format(site: Site) -> None:
    """What the server sends is what its documents say, key by key, and is read again unchanged."""
    sent: list[tuple[dict[str, Any], type[AttrsInstance]]] = [(site.put().json(), UploadAnswer)]
    findings = Findings("ab12", "a log", {"passed": False, "findings": [{"times": 2}]})
    number = sent[0][0]["submission"]
    assert site.hill.store.queue.set_state(number, SubmissionState.CHECKING, "", findings)
    sent.append((site.ada.get(f"/api/v1/submissions/{number}").json(), SubmissionDocument))
    sent.append((site.stranger.get("/api/v1/hills").json()["hills"][0], HillDocument))
    for answer, kind in sent:
        assert [*answer] == [field.name for field in fields(kind)]
        document = read_document({**answer, "key_of_a_later_version": 1}, kind)
        assert json.dumps(converter.unstructure(document)) == json.dumps(answer)


def test_everybody_reads_the_results(site: Site) -> None:
    """Standings and matches need no token, and are there before anything was played, standings with the keys and values that they have at the start."""
    before = site.stranger.get("/api/v1/hills/gops/standings").json()
    assert before["standings"] == []
    matches = site.stranger.get("/api/v1/hills/gops/matches")
    assert (matches.status_code, matches.text) == (200, "")
    assert read_problem(site.stranger.get("/api/v1/hills/gops/matches?since=x"))[0] == 422
    assert read_problem(site.stranger.get("/api/v1/hills/bs/standings"))[0] == 404
    assert read_problem(site.stranger.get("/api/v1/nothing"))[0] == 404
    enter_bots(site.hill)
    assert site.stranger.get("/api/v1/hills/gops/standings").json() == before


def record_matches(hill: HillAccess, *keys: tuple[int, int]) -> None:
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        for key in keys:
            store.matches.record(build_result(*key))


def keys_since(site: Site, since: str) -> list[str]:
    lines = site.stranger.get(f"/api/v1/hills/gops/matches?since={since}").text.splitlines()
    return [json.loads(line)["match"] for line in lines]


def test_a_program_that_asks_for_matches_again_misses_none(site: Site) -> None:
    """A match that ends out of turn is listed when it is its turn, without hands or paths of the host."""
    enter_bots(site.hill, ADA, BOB)
    with Store.open(site.hill.hill.spec.database) as store:
        store.claim()
        store.deals.plan(build_deals(2))
    record_matches(site.hill, (0, 0), (0, 1), (1, 1))
    assert keys_since(site, "") == ["0.0", "0.1"]
    record_matches(site.hill, (1, 0))
    assert keys_since(site, "0.1") == ["1.0", "1.1"]
    assert keys_since(site, "1.1") == []
    standings = site.stranger.get("/api/v1/hills/gops/standings")
    assert [row["name"] for row in standings.json()["standings"]] == ["ada", "bob"]
    text = standings.text + site.stranger.get("/api/v1/hills/gops/matches").text
    assert "./ada" not in text
    assert "detail" not in text


def raw(site: Site, text: bytes) -> bytes:
    """Send bytes as they are, and return all that comes until the server closes."""
    parts = urlsplit(site.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), TIMEOUT) as wire:
        wire.sendall(text)
        return b"".join(iter(lambda: wire.recv(65536), b""))


def head(site: Site, length: int) -> bytes:
    lines = [
        f"PUT {BOTS}/mine HTTP/1.1", "Host: localhost", "Content-Type: application/zip",
        f"Content-Length: {length}", "Connection: close", f"Authorization: {site.ada.headers['authorization']}", "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


def test_a_body_that_stops_coming_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece of a body has to come within half a minute, which is less in this test."""
    monkeypatch.setattr(request_bodies, "CHUNK_SECONDS", 0.1)
    said = raw(site, head(site, 1000) + b"PK")
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"the rest of the request body did not arrive in time" in said
    assert site.hill.store.submissions.select() == []


def test_a_body_is_as_long_as_its_header_says(site: Site) -> None:
    """Bytes behind the body are no request, and nothing of them counts."""
    data = build_zip()
    said = raw(site, head(site, len(data) - 1) + data)
    assert said.startswith(b"HTTP/1.1 422 ")
    assert said.count(b"HTTP/1.1 ") == 1
    assert site.hill.store.submissions.select() == []


CUT = """
import os, signal, sys
from arena_hill.db.author_actions import AuthorActions
from arena_hill.hill_access import HillAccess
from tests.support.hill.hill_access import build_zip, find_author
access = HillAccess.open(sys.argv[1])
print(access.intake.submit(find_author(access.store), "mine", build_zip()).submission.sha256, flush=True)
author = find_author(access.store)
AuthorActions.submit = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
access.intake.submit(author, "other", build_zip(bot="2"))
"""


def test_an_accepted_upload_survives_the_death_of_the_server(tmp_path: Path) -> None:
    """An upload that was not accepted when the server died is neither in the queue nor on the disk."""
    hill = open_hill_access(tmp_path)
    create_key(hill)
    file = tmp_path / "gops.toml"
    ended = run([sys.executable, "-c", CUT, file], cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert len([*hill.intake.uploads.folder.glob("*.zip")]) == 2
    again = HillAccess.open(file)
    again.intake.delete_unqueued_uploads()
    (taken,) = again.store.submissions.select()
    assert taken.sha256 == ended.stdout.decode().strip()
    assert [*again.intake.uploads.folder.glob("*.zip")] == [again.intake.uploads.path(taken.sha256)]
    assert again.intake.submit(find_author(again.store), "other", build_zip(bot="2")).is_new


@pytest.mark.parametrize("scope", [TokenScope.SUBMIT, TokenScope.SESSION])
@pytest.mark.parametrize("act", ["ban", "revoke"])
def test_an_upload_whose_author_is_banned_meanwhile_is_not_taken(
    tmp_path: Path, scope: TokenScope, act: str
) -> None:
    """A ban and a revoked token count for an upload by a program or by the form whose body is still coming."""
    hill = open_hill_access(tmp_path)
    key = create_key(hill, scope=scope)
    cookie = {"Cookie": f"{get_cookie_name(hill.hill.name)}={key}", "Sec-Fetch-Site": "same-origin"}
    headers = cookie if scope is TokenScope.SESSION else build_author_headers(key)

    def send() -> Iterator[bytes]:
        data = build_zip()
        yield data[:9]
        if act == "ban":
            hill.store.host_actions.ban("ada", "attacks")
        else:
            hill.store.accounts.end_session(key)
        yield data[9:]

    with open_client(hill) as client:
        answer = client.put(f"{BOTS}/mine", content=send(), headers={**ZIPPED, **headers})
        assert read_problem(answer)[0] == 401
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert hill.store.submissions.select() == []
    assert hill.store.queue.take() is None
    assert [*hill.intake.uploads.folder.glob("*.zip")] == []
