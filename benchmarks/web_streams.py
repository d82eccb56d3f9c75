"""Followers of one feed, over sockets: what they cost the server, and whether all arrives."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from attrs import field, frozen
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena_web.app import build_application
from arena_web.http.sse import EventBroadcast, FollowerLimit
from arena_web.protocol.json_format import INLINE
from arena_web.protocol.messages import Steps
from arena_web.server import LOOPBACK, run_in_thread
from benchmarks.ratios import Ratio

EVENTS_PER_SECOND = 1000
TICK_SECONDS = 0.01  # between two batches of events
ARRIVAL_SECONDS = 60.0  # in which all followers have come, or have left
ADDRESSES = 250  # of this machine, from which clients come: a server bounds what one may have
STEP = {"l": 17, "t": ["match bids 7"], "z": {"up": {"kind": "row", "cards": ["7", "8"]}}}
ASK = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"
MAX_FOLLOWERS = 2000  # twice of what comes and more: where places are scarce, each address has few
PAGES = 500  # bare ones, over one socket
MAX_FRAME_BYTES = 2**24  # on a busy machine many events are in one frame


@frozen
class Batch:
    """Steps of a match that are JSON already: what is measured begins there."""

    event = Steps.event
    steps: list[dict[str, Any]] = field(metadata=INLINE)


@frozen
class CrowdCost:
    """The cost of followers, and the share of frames that reached them."""

    share: float  # of a core
    bare: float  # of a core, for a bare page a second
    delivered: float  # of the frames that each reader was to get
    grown: tuple[float, float]  # MB, with everybody there and after they have left


class FeedServer:
    """The server's side: a feed, and a bare page."""

    def __init__(self) -> None:
        self.followers = FollowerLimit(in_all=MAX_FOLLOWERS)
        self.feed: EventBroadcast | None = None

    async def follow(self, request: Request) -> Response:
        """Stream the feed."""
        self.feed = self.feed or EventBroadcast()
        return self.followers.stream(request, self.feed)

    async def bare(self, _: Request) -> Response:
        """Respond with 1 kB of text."""
        return PlainTextResponse("x" * 1000)

    def count_followers(self) -> int:
        """Return the number of followers."""
        return self.feed.followers if self.feed else 0

    def forget(self) -> None:
        """Drop the feed."""
        self.feed = None

    def produce(self, seconds: float) -> int:
        """Put events into the feed for some seconds; return the number of frames."""
        assert self.feed
        began, put = monotonic(), 0
        while (now := monotonic() - began) < seconds:
            due = round(now * EVENTS_PER_SECOND)
            self.feed.put(Batch([STEP] * (due - put)))
            put = due
            sleep(TICK_SECONDS)
        self.feed.end()
        while not self.feed.ended:
            sleep(TICK_SECONDS)
        return len(self.feed.frames)


def _measure_processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _measure_memory() -> float:
    """Return the resident memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _serve(pipe: Connection) -> None:
    """Serve in a process of its own, and carry out the commands that come over the pipe."""
    server = FeedServer()
    routes = [Route("/feed", server.follow), Route("/bare", server.bare)]
    acts: dict[str, Callable[..., Any]] = {
        "used": _measure_processor_time,
        "memory": _measure_memory,
        "produce": server.produce,
        "forget": server.forget,
        "followers": server.count_followers,
    }
    with run_in_thread(build_application(routes, limits={})) as address:
        pipe.send(int(address.rstrip("/").rpartition(":")[2]))
        while (command := pipe.recv()) is not None:
            act, *words = command
            pipe.send(acts[act](*words))


class ServerProcess:
    """A server in another process, as this process sees it."""

    def __init__(self, pipe: Any, port: int) -> None:
        self._pipe = pipe
        self.port = port

    def ask(self, *command: Any) -> Any:
        """Have the server carry out a command; return the result."""
        self._pipe.send(command)
        return self._pipe.recv()

    def wait(self, followers: int) -> None:
        """Wait until the feed has this number of followers.

        Raises TimeoutError if it does not come to have it.
        """
        end = monotonic() + ARRIVAL_SECONDS
        while (present := self.ask("followers")) != followers:
            if monotonic() > end:
                raise TimeoutError(f"{present} followers, not {followers}")
            sleep(TICK_SECONDS)


@contextmanager
def start_server() -> Iterator[ServerProcess]:
    """Run a server in a process of its own inside a `with` block."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    try:
        yield ServerProcess(ours, ours.recv())
    finally:
        ours.send(None)
        process.join()


async def _fetch_bare_pages(port: int) -> None:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    for _ in range(PAGES):
        writer.write(ASK % b"/bare")
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if b"content-length" in line)
        await reader.readexactly(int(length.split(b":")[1]))
    writer.close()


def _choose_address(client: int) -> tuple[str, int]:
    return f"127.0.1.{client % ADDRESSES + 1}", 0


async def _follow(port: int, client: int) -> int:
    """Follow the feed to its end; return the number of frames that came."""
    reader, writer = await asyncio.open_connection(
        LOOPBACK, port, limit=MAX_FRAME_BYTES, local_addr=_choose_address(client)
    )
    writer.write(ASK % b"/feed")
    frames = 0
    with suppress(asyncio.IncompleteReadError):
        while True:
            line = await reader.readuntil(b"\n")
            frames += line.startswith(b"id: ")
            if line == b"0\r\n":  # the last chunk
                break
    writer.close()
    return frames


def _follow_without_reading(port: int, client: int) -> socket.socket:
    """Follow the feed without ever reading from the socket."""
    deaf = socket.create_connection((LOOPBACK, port), source_address=_choose_address(client))
    deaf.sendall(ASK % b"/feed")
    return deaf


async def _measure_crowd(
    server: ServerProcess, readers: int, deaf: int, seconds: float
) -> CrowdCost:
    before = server.ask("used")
    await _fetch_bare_pages(server.port)
    bare = (server.ask("used") - before) / PAGES
    empty = server.ask("memory")
    stalled = [_follow_without_reading(server.port, client) for client in range(deaf)]
    reading = [asyncio.create_task(_follow(server.port, client)) for client in range(readers)]
    await asyncio.to_thread(server.wait, readers + deaf)
    used, began = server.ask("used"), monotonic()
    frames = await asyncio.to_thread(server.ask, "produce", seconds)
    came = await asyncio.gather(*reading)
    share = (server.ask("used") - used) / (monotonic() - began)
    full = server.ask("memory")
    for connection in stalled:
        connection.close()
    await asyncio.to_thread(server.wait, 0)
    server.ask("forget")
    grown = full - empty, server.ask("memory") - empty
    return CrowdCost(share, bare, sum(came) / (frames * readers), grown)


def measure_crowd(readers: int, deaf: int = 0, seconds: float = 5.0) -> CrowdCost:
    """Measure the cost of readers, and of clients that never read, for some seconds."""
    with start_server() as server:
        asyncio.run(_measure_crowd(server, readers, 0, 1.0))  # warm
        return asyncio.run(_measure_crowd(server, readers, deaf, seconds))


def measure_crowds(
    readers: int = 200, deaf: int = 100, many: int = 500, seconds: float = 5.0
) -> list[Ratio]:
    """Return the cost of followers, with and without clients that never read, and that of many."""
    ratios = []
    for followers, others in ((readers, 0), (readers, deaf), (many, 0)):
        cost = measure_crowd(followers, others, seconds)
        crowd = f"{followers} followers" + f", {others} never read" * bool(others)
        ratios += [
            Ratio(f"{crowd}: share of a core", cost.share),
            Ratio(f"{crowd}: a second of it / a bare page over a socket", cost.share / cost.bare),
            Ratio(f"{crowd}: frames that came / that were to come", cost.delivered),
            Ratio(f"{crowd}: MB more while they are there", cost.grown[0]),
            Ratio(f"{crowd}: MB more when they have left", cost.grown[1]),
        ]
    return ratios
