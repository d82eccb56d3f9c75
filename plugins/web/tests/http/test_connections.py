"""Connections, over real sockets: very many, slow ones, odd ones, and too few descriptors."""

from __future__ import annotations

import asyncio
import resource
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn import Config
from uvicorn.server import ServerState

from arena_web import server
from arena_web.app import build_application
from arena_web.http import security
from arena_web.http.connections import (
    PROGRESS_BYTES,
    STALL_SECONDS,
    Connection,
    ConnectionLimits,
    Connections,
    raise_descriptor_limit,
)
from arena_web.http.request_bodies import MAX_DISCARDED_BYTES
from arena_web.server import run_in_thread
from tests.support.programs import TIMEOUT
from tests.support.web.event_streams import run
from tests.support.web.raw_http import (
    CLOSE,
    END,
    GET,
    OK,
    POST,
    Website,
    fetch_status,
    is_said_once,
    open_busy_connection,
    open_connection,
    read_to_end,
    send_and_read,
    send_slowly,
    website,
)

pytestmark = pytest.mark.slow

IDLE = 1100  # connections: more than there is room for
SOON = 0.2  # seconds for what a test wants to be late
MORE = 7 << 20  # bytes: more than a body may have
LARGE = 50_000_000  # bytes: more than the sockets of a connection hold


async def _there(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _brief(_: Request) -> Response:
    return PlainTextResponse("no body is read")


async def _large(_: Request) -> Response:
    return Response(b"x" * LARGE)


async def _stream(_: Request) -> Response:
    async def pieces() -> object:
        while True:
            yield b"x" * 65_536
            await asyncio.sleep(0)  # it asks something meanwhile

    return StreamingResponse(pieces())  # type: ignore[arg-type]


ROUTES = [
    Route("/there", _there, methods=["GET", "POST"]),
    Route("/brief", _brief),
    Route("/health", _brief),
    Route("/large", _large),
    Route("/stream", _stream),
]


@contextmanager
def serving(*proxies: str, **limits: float) -> Iterator[int]:
    """Serve a few pages with such limits of connections; give the port."""
    app = build_application(ROUTES, limits={}, reserved_paths={"/health"})
    bounds = ConnectionLimits(**limits)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server, "TICKS_PER_SWEEP", 1)  # who is late is cut off at once
        patched.setattr(server, "SHUTDOWN_SECONDS", SOON)
        with run_in_thread(app, proxies, bounds) as address:
            yield int(address.rstrip("/").rpartition(":")[2])


@pytest.mark.release
def test_a_thousand_idle_connections_keep_nobody_away() -> None:
    """A visitor gets a page where more idle connections are open than there are descriptors.

    A server begins with the soft limit of a shell, and takes what the hard one allows.
    """
    raise_descriptor_limit()
    limits = 'ulimit -n 1024; ulimit -S -n 64; exec "$@"'
    with website("sh", "-c", limits, "sh") as site, ExitStack() as stack:
        assert resource.prlimit(site.process.pid, resource.RLIMIT_NOFILE) == (1024, 1024)
        for _ in range(IDLE):
            stack.enter_context(open_connection(site.port))
        assert fetch_status(site.port, b"/play") == OK
        assert site.end() == ""


def test_an_address_has_so_many_connections() -> None:
    """One more takes the place of one that waits; where none does, it is told to come again."""
    with serving(per_address=2) as port, ExitStack() as stack:
        stack.enter_context(open_busy_connection(port, b"/there"))
        waiting = stack.enter_context(open_connection(port))
        last = stack.enter_context(open_busy_connection(port, b"/there"))
        read_to_end(waiting)
        assert fetch_status(port, b"/there") == b"HTTP/1.1 503 Service Unavailable"
        with open_connection(port, "127.0.0.2") as elsewhere:
            elsewhere.sendall(GET % b"/there" + CLOSE)
            assert elsewhere.recv(len(OK)) == OK
        last.close()
        while fetch_status(port, b"/there") != OK:
            pass


def test_an_address_loses_the_connection_that_has_waited_longest() -> None:
    """It counts since when a connection waits, not when it was opened."""
    with serving(per_address=2) as port, ExitStack() as stack:
        used, idle = [stack.enter_context(open_connection(port)) for _ in range(2)]
        for wire in (idle, used):
            ask(wire, b"/there")
        assert fetch_status(port, b"/there") == OK
        assert read_to_end(idle) == b""
        ask(used, b"/there")


def ask(wire: socket.socket, path: bytes) -> None:
    """Ask for a page on a connection that stays open, and read the answer to its end."""
    wire.sendall(GET % path + END)
    said = b""
    while not said.endswith(b"\r\n\r\n0"):
        piece = wire.recv(1000)
        assert piece
        said += piece
    assert said.startswith(OK)


@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.0.0.0/8", "*"])
def test_the_connections_of_a_proxy_are_everybodys(proxy: str) -> None:
    """It has as many as it needs, up to what there may be in all."""
    with serving(proxy, per_address=1, total=4) as port, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(open_busy_connection(port, b"/there"))
        assert fetch_status(port, b"/there") == OK
        stack.enter_context(open_busy_connection(port, b"/there"))
        assert fetch_status(port, b"/there") == b"HTTP/1.1 503 Service Unavailable"


def test_where_no_place_is_left_the_health_of_the_server_is_told() -> None:
    """Whoever holds the places that are reserved for that without asking for it loses them."""
    busy = b"HTTP/1.1 503 Service Unavailable"
    with serving(total=1, reserved=2) as port, ExitStack() as stack:
        stack.enter_context(open_busy_connection(port, b"/there"))
        for _ in range(3):
            stack.enter_context(open_connection(port))
        assert [fetch_status(port, path) for path in (b"/health", b"/there")] == [OK, busy]
        slow = GET % b"/health" + b"Content-Length: 9\r\n" + END
        assert send_and_read(port, slow).startswith(busy)
        assert fetch_status(port, b"/health") == OK


def starve(site: Website, left: int) -> None:
    """Leave a server so many descriptors beside those that it has open when all is loaded."""
    assert fetch_status(site.port, b"/play") == OK
    assert fetch_status(site.port, b"/play/samples") == OK  # which were begun at the start
    opened = len([*Path(f"/proc/{site.process.pid}/fd").iterdir()])
    most = opened + left
    resource.prlimit(site.process.pid, resource.RLIMIT_NOFILE, (most, most))


def test_where_descriptors_run_out_waiting_connections_make_room() -> None:
    """A visitor gets a page all the same, and what was wrong is said in one line."""
    with website() as site, ExitStack() as stack:
        starve(site, 10)
        for _ in range(100):
            stack.enter_context(open_connection(site.port))
        assert fetch_status(site.port, b"/play") == OK
        said = site.end()
    assert is_said_once(said, "cannot accept connections (OSError: [Errno 24] Too many open files)")


def test_where_descriptors_run_out_and_none_waits_it_is_tried_again() -> None:
    """Whoever comes then is answered as soon as another one has left."""
    with website() as site, ExitStack() as stack:
        starve(site, 5)
        first, *_ = [
            stack.enter_context(open_busy_connection(site.port, b"/play")) for _ in range(5)
        ]
        late = stack.enter_context(open_connection(site.port))
        late.sendall(GET % b"/play" + CLOSE)
        assert site.process.stderr
        assert select.select([site.process.stderr], [], [], TIMEOUT)[0]  # it cannot be accepted
        first.close()
        assert late.recv(len(OK)) == OK
        said = site.end()
    assert is_said_once(said, "cannot accept connections")


@pytest.mark.parametrize("text", [b"", b"GET /there HTTP/1.1\r\nHost: local"])
def test_a_header_that_does_not_come_is_not_waited_for(text: bytes) -> None:
    """Whether nothing of it comes, or a part of it."""
    with serving(header=SOON) as port, open_connection(port) as wire:
        with suppress(ConnectionError):
            wire.sendall(text)
        assert read_to_end(wire) == b""


def test_a_header_that_comes_a_byte_at_a_time_is_not_waited_for() -> None:
    """Each byte is no new beginning."""
    with serving(header=SOON) as port, open_connection(port) as wire:
        send_slowly(wire)


def test_the_header_of_a_second_request_is_not_waited_for() -> None:
    """Whoever was answered once is not waited for any longer than others."""
    with serving(header=SOON) as port:
        said = b""
        while not said.startswith(OK):  # where this test itself is late, it is tried again
            said = send_and_read(port, GET % b"/there" + END + b"GET ")
        assert said.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("order", [POST % b"/there", GET % b"/brief"])
def test_a_body_that_comes_a_byte_at_a_time_is_not_waited_for(
    order: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a time for all of a body, beside that for each piece, whether a page reads it or not."""
    monkeypatch.setattr(security, "BODY_SECONDS", SOON)
    with serving(header=SOON) as port, open_connection(port) as wire:
        wire.sendall(order + b"Content-Length: 8000\r\n" + END)
        send_slowly(wire)


@pytest.mark.parametrize("order", [POST % b"/there", GET % b"/brief"])
def test_who_sends_all_of_a_body_first_can_read_the_answer(order: bytes) -> None:
    """A connection is not reset by what the server has not read of a body, as of one too long."""
    with serving() as port, open_connection(port) as wire:
        wire.sendall(order + b"Content-Length: %d\r\n" % MORE + CLOSE + b"x" * MORE)
        assert b"Request Entity Too Large" in read_to_end(wire)


@pytest.mark.parametrize("order", [POST % b"/there", GET % b"/brief"])
@pytest.mark.parametrize(
    ("framing", "piece"),
    [
        (b"Transfer-Encoding: chunked\r\n", b"10000\r\n" + b"x" * 0x10000 + b"\r\n"),
        (b"Content-Length: %d\r\n" % 10**15, b"x" * 0x10000),
    ],
)
def test_an_endless_body_is_read_only_so_far(order: bytes, framing: bytes, piece: bytes) -> None:
    """The answer comes first, then a part of the body is read, and then the connection is closed."""
    with serving() as port, open_connection(port) as wire:
        wire.sendall(order + framing + END)
        with pytest.raises(ConnectionError):
            wire.sendall(piece * (2 * MAX_DISCARDED_BYTES // len(piece)))  # sockets hold some, too
        assert wire.recv(100).startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize("path", [b"/large", b"/stream"])
def test_who_does_not_read_is_cut_off(path: bytes) -> None:
    """Whether all of the answer is there, or is made while it is sent."""
    with serving(stall=SOON) as port, open_connection(port) as wire:
        wire.sendall(GET % path + END)
        poll = select.poll()
        poll.register(wire, 0)  # nothing but what cannot be left out: that the other end has gone
        assert poll.poll(1000 * TIMEOUT)


@pytest.mark.parametrize("body", [b"", b"zz\r\n"])
def test_a_server_that_ends_waits_for_nobody_who_does_not_read(body: bytes) -> None:
    """Not even where what came behind the request is none."""
    with connected_to_large() as wire:
        wire.sendall(body)


@contextmanager
def connected_to_large() -> Iterator[socket.socket]:
    """Give a connection on which a large answer is on its way; then end the server."""
    with ExitStack() as stack, serving() as port:
        wire = stack.enter_context(open_connection(port))
        wire.sendall(GET % b"/large" + b"Transfer-Encoding: chunked\r\n" + END)
        assert wire.recv(1) == b"H"
        yield wire
        assert fetch_status(port, b"/there") == OK  # what was sent has come by now


def test_who_reads_slowly_gets_all() -> None:
    """As long as the answer gets on it is not cut off, even where the whole of it takes very long."""

    async def test() -> None:
        loop, connections = asyncio.get_running_loop(), Connections()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            wire = open_connection(listener.getsockname()[1])
            accepted, _ = listener.accept()
            accepted.setblocking(False)
        config = Config(build_application([]), log_config=None)
        state: dict[str, Any] = {"config": config, "server_state": ServerState(), "app_state": {}}
        _, connection = await loop.connect_accepted_socket(
            lambda: Connection(connections, **state), accepted
        )
        connection.transport.write(b"x" * LARGE)
        connection.transport.close()
        now = loop.time()
        with wire:
            for _ in range(20):
                now += 0.9 * STALL_SECONDS
                before = connection.transport.get_write_buffer_size()
                while before - connection.transport.get_write_buffer_size() < PROGRESS_BYTES:
                    wire.recv(PROGRESS_BYTES)
                    await asyncio.sleep(0)
                assert not connection.is_overdue(now)
            assert connection.is_overdue(now + 1.1 * STALL_SECONDS)
        connection.cut_off()
        await asyncio.sleep(0)  # until it is closed

    run(test)
