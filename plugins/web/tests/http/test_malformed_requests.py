"""Requests that no browser sends, over real sockets: nobody else suffers, and little is logged."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena_web.app import build_application
from arena_web.server import run_in_thread
from tests.support.web.raw_http import (
    CLOSE,
    END,
    GET,
    OK,
    PIECE,
    POST,
    fetch_status,
    is_said_once,
    open_connection,
    send_and_read,
    website,
)

pytestmark = pytest.mark.slow

MANY = 20
CHUNKED = b"Transfer-Encoding: chunked\r\n"
SMUGGLED = POST % b"/there" + b"Content-Length: 5\r\n" + CHUNKED + END + b"0\r\n\r\n" + GET % b"/x"


async def _there(request: Request) -> Response:
    return PlainTextResponse(f"{len(await request.body())} bytes")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Return the port of a server with one page."""
    app = build_application([Route("/there", _there, methods=["GET", "POST"])], limits={})
    with run_in_thread(app) as address:
        yield int(address.rstrip("/").rpartition(":")[2])


MALFORMED = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n",  # who speaks TLS
    b"nonsense\r\n\r\n",
    b"GET /there HTTP/1.1\r\n\r\n",  # no Host
    b"GET /there HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /there HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /there\r\n\r\n",
    POST % b"/there" + b"Content-Length: 1\r\nContent-Length: 2\r\n" + END + b"xx",
    POST % b"/there" + b"Content-Length: -1\r\n" + END,
    POST % b"/there" + b"Transfer-Encoding: gzip\r\n" + END,
    POST % b"/there" + CHUNKED + END + b"zz\r\n",
    POST % b"/there" + CHUNKED + END + b"1" * 100 + b"\r\n",
    GET % b"/there" + b"X: " + b"x" * 100_000 + b"\r\n" + END,
    GET % (b"/" + b"x" * 100_000) + END,
    GET % b"/there" + b"".join(b"X%d: x\r\n" % number for number in range(10_000)) + END,
    GET % b"/there" + b"x:\r\n" * 60_000 + END,
)
"""Each of them is no request, or too long for one."""


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_what_is_no_request_is_answered_so(port: int, text: bytes) -> None:
    """And the connection is closed; what is far too long may not even hear the answer."""
    assert send_and_read(port, text).partition(b"\r\n")[0] in {b"", b"HTTP/1.1 400 Bad Request"}
    assert fetch_status(port, b"/there") == OK


def test_what_is_no_request_is_one_line_of_the_log() -> None:
    """However much of it comes, and whatever it is; who leaves, or asks for more, is none.

    Who leaves in the middle of a body that is short, chunked, or broken; while an answer is made,
    or before one is. A WebSocket is not opened, HTTP/2 not begun: that is answered in HTTP/1.1.
    """
    bodies = (
        b"Content-Length: 100\r\n" + END + b"part",
        CHUNKED + END + b"5\r\nxx",
        CHUNKED + END,
    )
    upgrades = (
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA\r\n",
        b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
    )
    with website() as site:
        for text in MALFORMED * 3:
            with open_connection(site.port) as wire, suppress(ConnectionError):
                wire.sendall(text)
                wire.recv(1)
        for body in bodies * 3:
            with open_connection(site.port) as wire:
                wire.sendall(POST % b"/play" + body)
        for text in (GET % b"/play", GET % b"/play" + END, (GET % b"/play" + END) * MANY):
            with open_connection(site.port) as wire:
                wire.sendall(text)
        for upgrade in upgrades:
            with open_connection(site.port) as wire:
                wire.sendall(GET % b"/play" + upgrade + b"Connection: Upgrade\r\n" + END)
                assert wire.recv(len(OK)) == OK
        assert fetch_status(site.port, b"/play") == OK
        said = site.end()
    assert is_said_once(said, "Invalid HTTP request received.")


def test_a_body_of_two_lengths_is_refused_and_the_connection_closed(port: int) -> None:
    """What one reader takes for a body is a request to the next: so nobody reads on."""
    said = send_and_read(port, SMUGGLED + CLOSE)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1
    assert b"\r\nconnection: close\r\n" in said.lower()
    assert b"Content-Length or Transfer-Encoding, not both" in said


@pytest.mark.parametrize(
    "target", [b"http://localhost/there", b"*", b"localhost:80", b"there", b"?x", b"//"]
)
@pytest.mark.parametrize("method", [b"GET", b"HEAD", b"OPTIONS", b"CONNECT", b"POST"])
def test_a_target_that_is_no_path_is_refused(port: int, method: bytes, target: bytes) -> None:
    """Such as a proxy is asked for; nothing of it is looked for here."""
    said = send_and_read(port, (GET % target).replace(b"GET", method, 1) + CLOSE)
    number = int(said.split()[1])
    assert number == 400 or (target == b"//" and number in {404, 405})


def test_requests_that_come_together_are_answered_in_order(port: int) -> None:
    """Each by itself, and a body belongs to its own."""
    posted = POST % b"/there" + b"Content-Length: 3\r\n" + END + b"abc"
    said = send_and_read(port, (GET % b"/there" + END + posted) * MANY + GET % b"/nowhere" + CLOSE)
    assert said.count(OK) == 2 * MANY
    assert said.count(b"\r\n\r\n0 bytes") == said.count(b"\r\n\r\n3 bytes") == MANY
    assert said.count(b"HTTP/1.1 404") == 1


def test_head_is_the_head_alone(port: int) -> None:
    """As the answer to GET, without its body."""
    said = send_and_read(port, (GET % b"/there").replace(b"GET", b"HEAD", 1) + CLOSE)
    assert said.startswith(OK)
    assert said.endswith(b"\r\n\r\n")
    assert b"content-length: 7\r\n" in said


def test_an_order_that_no_page_takes_is_refused(port: int) -> None:
    """Whatever it is called."""
    for method in (b"OPTIONS", b"TRACE", b"DELETE", b"PROPFIND", b"X" * 100):
        said = send_and_read(port, (GET % b"/there").replace(b"GET", method, 1) + CLOSE)
        assert said.startswith(b"HTTP/1.1 405 "), method


def test_a_connection_that_ends_on_one_side_is_given_up(port: int) -> None:
    """Before its request is there, or in its body: no place is held for it."""
    with ExitStack() as stack:
        for text in (b"", b"GET /the", POST % b"/there" + b"Content-Length: 9\r\n" + END + b"x"):
            wire = stack.enter_context(open_connection(port))
            wire.sendall(text)
            wire.shutdown(socket.SHUT_WR)
            assert wire.recv(1) == b""


@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(MALFORMED[:11]), st.sampled_from(
    [GET % b"/there" + END, POST % b"/there" + CHUNKED + END, b"1\r\nx\r\n", b"0\r\n\r\n", SMUGGLED]
)), max_size=6))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_whatever_comes_the_server_goes_on(port: int, pieces: list[bytes]) -> None:
    """Bytes of all kinds, in pieces: an answer, or none; and the next visitor gets a page."""
    with open_connection(port) as wire:
        try:
            for piece in pieces:
                wire.sendall(piece)
            wire.shutdown(socket.SHUT_WR)
            while wire.recv(PIECE):  # until the server holds no place for it any more
                pass
        except TimeoutError:
            raise
        except OSError:  # the server has ended it first
            pass
    assert fetch_status(port, b"/there") == OK
