"""Streams over real sockets: many, those that never read, one too many, and their end."""

from __future__ import annotations

import gc
import signal
import socket
import subprocess
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Condition
from time import monotonic
from typing import Any, Self

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena_web.app import build_application
from arena_web.http.sse import MAX_FOLLOWERS_PER_ADDRESS, EventBroadcast, FollowerLimit
from arena_web.server import run_in_thread
from tests.support.command import ARENA
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import FOUR, play_tournament, serve_sources
from tests.support.web.event_streams import build_message

pytestmark = pytest.mark.slow

EVENTS = "/t/tournament/events"
MANY = 50
LARGE = "x" * 100_000  # more in a few frames than what sockets hold


class Client:
    """Follows a stream, from an address of this machine that is its own if it likes."""

    def __init__(self, port: int, path: str, home: int = 1) -> None:
        self._socket = socket.create_connection(
            ("127.0.0.1", port), TIMEOUT, source_address=(f"127.0.0.{home}", 0)
        )
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.heard = b""

    def until(self, words: bytes) -> bytes:
        """Read until this comes; return all that has come."""
        while words not in self.heard:
            piece = self._socket.recv(1_000_000)
            assert piece, self.heard[-500:]
            self.heard += piece
        return self.heard

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


class Table:
    """A server with one feed, which says how many follow it."""

    def __init__(self) -> None:
        self.followers = FollowerLimit(per_client=MANY)
        self.feed: EventBroadcast | None = None
        self.left = Condition()

    async def answer(self, request: Request) -> Response:
        """Let somebody follow."""
        self.feed = self.feed or EventBroadcast()
        stream = self.followers.stream(request, self.feed)

        async def streamed(*arguments: Any) -> None:
            try:
                await stream(*arguments)
            finally:
                with self.left:
                    self.left.notify_all()

        return streamed  # type: ignore[return-value]  # an application, too

    @contextmanager
    def served(self) -> Iterator[int]:
        """Serve it; give the port."""
        with run_in_thread(build_application([Route("/feed", self.answer)], limits={})) as address:
            yield int(address.rstrip("/").rpartition(":")[2])

    def wait(self, followers: int) -> None:
        """Wait until so many are left."""
        assert self.feed
        feed = self.feed
        with self.left:
            assert self.left.wait_for(lambda: feed.followers == followers, TIMEOUT)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("hill"), *FOUR)


def test_an_interrupt_ends_it_with_open_streams(file: Path) -> None:
    """All hear a farewell, and nothing is cut off by force: that would be said on stderr."""
    with subprocess.Popen(
        [ARENA, "web", file, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process, ExitStack() as stack:  # fmt: skip
        assert process.stdout
        port = int(process.stdout.readline().split(":")[3].split("/")[0])
        clients = [
            stack.enter_context(Client(port, EVENTS, 1 + number // MAX_FOLLOWERS_PER_ADDRESS))
            for number in range(MANY)
        ]
        for client in clients:
            client.until(b"hello")
        process.send_signal(signal.SIGINT)
        for client in clients:
            client.until(b"event: bye")
        _, said = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, said) == (0, "")


def test_one_too_many_comes_again_later(file: Path) -> None:
    """They are told when; another address has places, and so has this one when somebody leaves."""
    with serve_sources(file) as address, ExitStack() as stack:
        port = int(address.rstrip("/").rpartition(":")[2])
        *others, last = [
            stack.enter_context(Client(port, EVENTS)) for _ in range(MAX_FOLLOWERS_PER_ADDRESS)
        ]
        for client in (*others, last):
            client.until(b"hello")
        with Client(port, EVENTS) as refused:
            head = refused.until(b"\r\n\r\n").lower()
        assert head.startswith(b"http/1.1 503 ")
        assert b"retry-after: " in head
        with Client(port, EVENTS, home=2) as elsewhere:
            elsewhere.until(b"hello")
        last.__exit__()
        while True:
            with Client(port, EVENTS) as again:
                if b" 200 " in again.until(b"\r\n").partition(b"\r\n")[0]:
                    break


def test_who_never_reads_holds_nobody_up() -> None:
    """Others get every frame while some take none, and all places are free in the end."""
    table = Table()
    with table.served() as port, ExitStack() as stack:
        deaf = [stack.enter_context(Client(port, "/feed")) for _ in range(5)]
        reading = [stack.enter_context(Client(port, "/feed")) for _ in range(5)]
        for client in (*deaf, *reading):
            client.until(b"retry")
        assert table.feed
        for number in range(100):
            table.feed.put(build_message("no", {"n": number, "text": LARGE}))
        table.feed.put(build_message("steps", ["last"]))
        for client in reading:
            heard = client.until(b'["last"]')
            assert heard.count(b"event: no\n") == 100
        assert table.feed.followers == 10
        assert len(table.feed.frames) == 101
        for client in deaf:
            client.__exit__()
        table.wait(5)
        table.feed.end()
        table.wait(0)


def test_when_all_have_left_nothing_is_kept() -> None:
    """A feed that nobody follows any more goes with its frames, however they left."""
    table = Table()
    with table.served() as port:
        with ExitStack() as stack:
            clients = [stack.enter_context(Client(port, "/feed")) for _ in range(MANY)]
            for client in clients:
                client.until(b"retry")
            assert table.feed
            table.feed.put(build_message("steps", [1]))
            for client in clients:
                client.until(b"id: 1\nevent: steps\ndata: [1]\n\n")
            assert table.followers.is_full("127.0.0.1")
        table.wait(0)
        assert not table.followers.is_full("127.0.0.1")
        feed = weakref.ref(table.feed)
        table.feed = None
        until = monotonic() + TIMEOUT
        while feed() is not None:  # the server's thread is about to let go of it
            assert monotonic() < until
            gc.collect()
