"""What stands before every page."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from arena_web.app import application
from arena_web.guard import LIMITS, LONGEST_BODY, MINUTE, POLICY, Body, Buckets
from arena_web.pages import Pages
from tests.served import visiting
from tests.streams import run


async def _taken(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


def _broken(_: Request) -> Response:
    raise ValueError("planted")


ROUTES = [Route("/taken", _taken, methods=["GET", "POST"]), Route("/broken", _broken)]


@pytest.mark.parametrize("path", ["/taken", "/nowhere", "/static/arena.css", "/static/../app.py"])
def test_all_answers_carry_the_policy(path: str) -> None:
    """Pages, errors and files."""
    with visiting(application(ROUTES)) as client:
        answer = client.get(path)
        assert {name: answer.headers[name] for name in POLICY} == POLICY


def test_a_fault_of_ours_is_said_without_its_words() -> None:
    """A visitor learns nothing of the inside; the policy holds there, too."""
    with TestClient(
        application(ROUTES), base_url="http://localhost", raise_server_exceptions=False
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
    with visiting(application(ROUTES, hosts=["hill.example"])) as client:
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
    with visiting(application(ROUTES)) as client:
        assert client.post("/taken", headers=headers).status_code == status
        assert client.get("/taken", headers=headers).status_code == 200


def test_a_body_is_counted_whatever_its_header_says() -> None:
    """One byte too many is refused, declared or not."""
    with visiting(application(ROUTES)) as client:
        assert client.post("/taken", content=b"x" * LONGEST_BODY).text == str(LONGEST_BODY)
        assert client.post("/taken", content=b"x" * (LONGEST_BODY + 1)).status_code == 413
        pieces = client.post("/taken", content=iter([b"x" * LONGEST_BODY, b"x"]))
        assert pieces.status_code == 413
        odd = {"content-length": "-1", "transfer-encoding": "chunked"}
        assert client.post("/taken", headers=odd, content=iter([b"x"])).status_code == 413


def test_who_asks_too_often_is_told_when_to_come_again() -> None:
    """By the kind of what is asked for."""
    with visiting(application(ROUTES, limits={"page": 2, "answer": 1})) as client:
        assert [client.get("/taken").status_code for _ in range(2)] == [200, 200]
        refused = client.get("/taken")
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["key"] == "page"
        assert int(refused.headers["retry-after"]) == refused.json()["retry_after"] <= MINUTE / 2
        assert client.post("/taken").status_code == 200
        assert client.post("/taken").status_code == 429
        assert client.get("/static/arena.css").status_code == 200


def test_tokens_come_back_with_time() -> None:
    """As many a minute as the limit says, and never more than that at once."""
    now = 0.0
    buckets = Buckets({"page": 60}, lambda: now)
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
    with visiting(application(Pages({}).routes)) as client:
        answers = [client.get("/").status_code for _ in range(LIMITS["page"] + 10)]
    assert 429 in answers


def test_uploads_are_longer_and_rarer() -> None:
    """As the mapping says by what orders begin with; so many an hour."""
    app = application(ROUTES, limits={"upload": 2}, uploads={"POST /taken": 2 * LONGEST_BODY})
    with visiting(app) as client:
        longest = client.post("/taken", content=b"x" * 2 * LONGEST_BODY)
        assert longest.text == str(2 * LONGEST_BODY)
        assert (
            client.post("/taken", content=iter([b"x" * 2 * LONGEST_BODY, b"x"])).status_code == 413
        )
        refused = client.post("/taken")
        assert (refused.status_code, refused.json()["key"]) == (429, "upload")
        assert MINUTE < int(refused.headers["retry-after"]) <= 30 * MINUTE
        assert client.put("/taken", content=b"x" * (LONGEST_BODY + 1)).status_code == 413


def test_what_comes_too_late_to_be_refused_is_an_end() -> None:
    """Once the answer has begun, who sends too much counts as gone."""

    async def message() -> Message:
        return {"type": "http.request", "body": b"xx", "more_body": True}

    body = Body(message, 3)

    async def received() -> None:
        assert (await body.receive())["body"] == b"xx"
        body.answered = True
        assert (await body.receive())["type"] == "http.disconnect"

    run(received)
