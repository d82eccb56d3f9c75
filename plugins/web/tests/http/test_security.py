"""What stands before every page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from time import monotonic

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from arena_web.app import build_application
from arena_web.http import security
from arena_web.http.rate_limits import MINUTE_SECONDS, RATE_LIMITS, RateLimiter
from arena_web.http.request_bodies import MAX_BODY_BYTES, BodyLimit
from arena_web.http.security import RESPONSE_HEADERS
from arena_web.routes import SourcePages
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import open_test_client
from tests.support.web.event_streams import run

pytestmark = pytest.mark.slow


async def _taken(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


def _broken(_: Request) -> Response:
    raise ValueError("planted")


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no time go by for limits, however busy the machine is."""
    monkeypatch.setattr(security, "RateLimiter", partial(RateLimiter, now=lambda: 0.0))


class Visitors:
    """An application to which each request comes from the address that its header names."""

    def __init__(self, app: Starlette) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            address = Headers(scope=scope).get("from", "192.0.2.1")
            scope = {**scope, "client": (address, 1)}
        await self._app(scope, receive, send)


ROUTES = [Route("/taken", _taken, methods=["GET", "POST"]), Route("/broken", _broken)]


@pytest.mark.parametrize("path", ["/taken", "/nowhere", "/static/arena.css", "/static/../app.py"])
def test_all_answers_carry_the_policy(path: str) -> None:
    """Pages, errors and files."""
    with open_test_client(build_application(ROUTES)) as client:
        answer = client.get(path)
        assert {name: answer.headers[name] for name in RESPONSE_HEADERS} == RESPONSE_HEADERS


def test_a_fault_of_ours_is_said_without_its_words() -> None:
    """A visitor learns nothing of the inside; the policy holds there, too."""
    with TestClient(
        build_application(ROUTES), base_url="http://localhost", raise_server_exceptions=False
    ) as client:
        answer = client.get("/broken")
    assert answer.status_code == 500
    assert "planted" not in answer.text
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:8642", 200),
        ("[::1]:1", 200),
        ("hill.example", 200),
        ("HILL.example:443", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
    ],
)
def test_a_server_answers_to_its_names_alone(host: str, status: int) -> None:
    """A name of somebody else's that points here is none of them."""
    with open_test_client(build_application(ROUTES, hosts=["hill.example"])) as client:
        assert client.get("/taken", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": "http://localhost"}, 403),
        ({"origin": "http://localhost"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"cookie": "a=b"}, 403),
        ({"cookie": "a=b", "sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_orders_are_taken_from_our_own_pages(headers: dict[str, str], status: int) -> None:
    """And from programs that are no browser, which carry no cookie."""
    with open_test_client(build_application(ROUTES)) as client:
        assert client.post("/taken", headers=headers).status_code == status
        assert client.get("/taken", headers=headers).status_code == 200


def test_a_body_is_counted_whatever_its_header_says() -> None:
    """One byte too many is refused, declared or not."""
    with open_test_client(build_application(ROUTES)) as client:
        assert client.post("/taken", content=b"x" * MAX_BODY_BYTES).text == str(MAX_BODY_BYTES)
        assert client.post("/taken", content=b"x" * (MAX_BODY_BYTES + 1)).status_code == 413
        pieces = client.post("/taken", content=iter([b"x" * MAX_BODY_BYTES, b"x"]))
        assert pieces.status_code == 413


def test_who_asks_too_often_is_told_when_to_come_again() -> None:
    """By the kind of what is asked for."""
    with open_test_client(build_application(ROUTES, limits={"page": 2, "answer": 1})) as client:
        assert [client.get("/taken").status_code for _ in range(2)] == [200, 200]
        refused = client.get("/taken")
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["key"] == "page"
        assert (
            int(refused.headers["retry-after"])
            == refused.json()["retry_after"]
            <= MINUTE_SECONDS / 2
        )
        assert client.post("/taken").status_code == 200
        assert client.post("/taken").status_code == 429
        assert client.get("/static/arena.css").status_code == 200


def test_only_pages_of_sources_have_parts() -> None:
    """Another page costs what it costs, whatever its query says."""
    routes = [*ROUTES, Route("/t/hill/", _taken)]
    with open_test_client(build_application(routes, limits={"page": 1, "part": 2})) as client:
        answers = [client.get("/taken?part=x").status_code for _ in range(2)]
        assert answers == [200, 429]
        assert [client.get("/t/hill/?part=x").status_code for _ in range(3)] == [200, 200, 429]


def test_addresses_of_one_network_are_one_visitor() -> None:
    """Whoever has one IPv6 address has a whole /64 of them; others' neighbours are others."""
    app = build_application(ROUTES, limits={"page": 1})
    addresses = ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1", "192.0.2.1", "192.0.2.2"]
    with open_test_client(Visitors(app)) as client:
        answers = [client.get("/taken", headers={"from": address}) for address in addresses]
    assert [answer.status_code for answer in answers] == [200, 429, 200, 200, 200]


def test_many_networks_of_a_site_are_a_few_visitors() -> None:
    """Whoever has a /48 of IPv6 has 65,536 networks, which together may ask as much as four."""
    app = build_application(ROUTES, limits={"page": 1})
    addresses = [f"2001:db8:0:{number}::1" for number in range(6)]
    with open_test_client(Visitors(app)) as client:
        answers = [client.get("/taken", headers={"from": address}) for address in addresses]
        elsewhere = client.get("/taken", headers={"from": "2001:db8:1::1"})
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2
    assert elsewhere.status_code == 200


def test_requests_of_an_address_are_limited_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever keeps many waiting, as by bodies that do not come, keeps nobody else away."""
    monkeypatch.setattr(security, "MAX_REQUESTS_PER_ADDRESS", 1)

    async def test() -> None:
        app = build_application(ROUTES, limits={})
        transport = httpx2.ASGITransport(Visitors(app))
        held, come = asyncio.Event(), asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            held.set()
            await come.wait()
            yield b"x"

        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            slow = asyncio.create_task(client.post("/taken", content=body()))
            await held.wait()
            refused = await client.get("/taken")
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
            elsewhere = await client.get("/taken", headers={"from": "192.0.2.2"})
            assert elsewhere.status_code == 200
            come.set()
            assert (await slow).text == "1"
            assert (await client.get("/taken")).status_code == 200

    run(test)


def test_tokens_come_back_with_time() -> None:
    """As many a minute as the limit says, and never more than that at once."""
    now = 0.0
    buckets = RateLimiter({"page": 60}, lambda: now)
    assert [buckets.wait("a", "page") for _ in range(60)] == [0.0] * 60
    assert buckets.wait("a", "page") == pytest.approx(1.0)
    assert buckets.wait("b", "page") == 0.0
    assert buckets.wait("a", "static") == 0.0
    now = 1.0
    assert buckets.wait("a", "page") == 0.0
    assert buckets.wait("a", "page") == pytest.approx(1.0)
    now = 1000.0
    assert [buckets.wait("a", "page") > 0 for _ in range(61)] == [False] * 60 + [True]


def test_limits_are_there_unless_told() -> None:
    """A server without settings has them."""
    most = RATE_LIMITS["page"]
    with open_test_client(build_application(SourcePages({}).routes)) as client:
        answers = [client.get("/").status_code for _ in range(most + 1)]
    assert answers == [200] * most + [429]


def test_a_token_that_is_given_back_can_be_taken_again() -> None:
    """What did not come about does not count, for a network as little as for its site."""
    buckets = RateLimiter({"upload": 1}, lambda: 0.0, span_seconds=3600)
    assert buckets.wait("2001:db8::1", "upload") == 0.0
    assert buckets.wait("2001:db8::2", "upload") == 3600
    buckets.give_back("2001:db8::1", "upload")
    assert buckets.wait("2001:db8::2", "upload") == 0.0
    assert buckets.wait("2001:db8::1", "upload") == 3600


def test_uploads_are_longer() -> None:
    """Uploads may be as long as the mapping says, by what orders begin with."""
    app = build_application(ROUTES, limits={}, uploads={"POST /taken": 2 * MAX_BODY_BYTES})
    with open_test_client(app) as client:
        longest = client.post("/taken", content=b"x" * 2 * MAX_BODY_BYTES)
        assert longest.text == str(2 * MAX_BODY_BYTES)
        assert (
            client.post("/taken", content=iter([b"x" * 2 * MAX_BODY_BYTES, b"x"])).status_code
            == 413
        )
        assert client.put("/taken", content=b"x" * (MAX_BODY_BYTES + 1)).status_code == 413


PAGE = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("host", "name"),
    [("hill.local:8000", "hill.local"), ("192.0.2.7", "192.0.2.7"), ("$(x)<b>", "NAME")],
)
def test_an_unknown_host_name_is_explained_by_a_page(host: str, name: str) -> None:
    """A browser shows which option allows the name; programs get JSON, in the same words."""
    with open_test_client(build_application(ROUTES)) as client:
        page = client.get("/taken", headers={"host": host, **PAGE})
        assert (page.status_code, page.headers["content-type"]) == (421, "text/html; charset=utf-8")
        assert f"start it with --host-name {name} to allow that" in page.text
        for path, headers in (("/taken", {}), ("/api/v1/hills", PAGE)):
            problem = client.get(path, headers={"host": host, **headers})
            assert problem.headers["content-type"] == "application/problem+json"
            assert f"--host-name {name} to allow that" in problem.json()["title"]


def test_a_form_over_plain_http_is_told_to_use_https() -> None:
    """Browsers name the origin of a form only to a site with https, or to this very machine."""
    app = build_application(ROUTES, hosts=["hill.local"], limits={"page": 1})
    sent = {"origin": "null", **PAGE}
    with open_test_client(app) as client:
        refused = client.post("/taken", headers={"host": "hill.local:8000", **sent})
        assert (refused.status_code, "and use https" in refused.text) == (403, True)
        assert refused.headers["content-type"] == "text/html; charset=utf-8"
        assert "use https" not in client.post("/taken", headers=sent).text
        assert client.get("/taken", headers=PAGE).status_code == 200
        often = client.get("/taken", headers=PAGE)
        assert (often.status_code, often.headers["retry-after"]) == (429, "60")
        assert "<p>Too many requests: try again in 60 s.</p>" in often.text


def test_what_comes_too_late_to_be_refused_is_an_end() -> None:
    """Once the answer has begun, who sends too much counts as gone."""

    async def message() -> Message:
        return {"type": "http.request", "body": b"xx", "more_body": True}

    body = BodyLimit(message, 3, monotonic() + TIMEOUT)

    async def received() -> None:
        assert (await body.receive())["body"] == b"xx"
        body.answered = True
        assert (await body.receive())["type"] == "http.disconnect"

    run(received)
