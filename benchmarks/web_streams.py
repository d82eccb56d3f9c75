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

from attrs import frozen
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena_web.app import build_application
from arena_web.http.sse import STEPS, EventFeed, FollowerLimit
from arena_web.server import LOOPBACK, run_in_thread
from benchmarks.ratios import Ratio

RATE, TICK = 1000, 0.01  # events a second, and how often some are put
STEP = {"l": 17, "t": ["match bids 7"], "z": {"up": {"kind": "row", "cards": ["7", "8"]}}}
ASK = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"
PAGES = 500  # bare ones, over one socket
LONGEST = 2**24  # bytes of a frame: on a busy machine many events are in one


@frozen
class Crowd:
    """What came of it."""

    share: float  # of a core
    bare: float  # of a core, for a bare page a second
    delivered: float  # of the frames that each reader was to get
    grown: tuple[float, float]  # MB, with everybody there and after they have left


class Served:
    """The server's side: a feed, a bare page, and what it has used so far."""

    def __init__(self) -> None:
        self.followers = FollowerLimit(most=10_000, each=10_000)
        self.feed: EventFeed | None = None

    async def follow(self, request: Request) -> Response:
        """Stream the feed."""
        self.feed = self.feed or EventFeed()
        return self.followers.stream(request, self.feed)

    async def bare(self, _: Request) -> Response:
        """Return 1 kB."""
        return PlainTextResponse("x" * 1000)

    def there(self) -> int:
        """Return how many follow."""
        return self.feed.followers if self.feed else 0

    def forget(self) -> None:
        """Let the feed go."""
        self.feed = None

    def produce(self, seconds: float) -> int:
        """Put events for a while; return how many frames came of them."""
        assert self.feed
        began, put = monotonic(), 0
        while (now := monotonic() - began) < seconds:
            due = round(now * RATE)
            self.feed.put(STEPS, [STEP] * (due - put))
            put = due
            sleep(TICK)
        self.feed.end()
        while not self.feed.ended:
            sleep(TICK)
        return len(self.feed.frames)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _memory() -> float:
    """Return what this process has in memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _serve(pipe: Connection) -> None:
    """Serve in a process of its own, and do what is asked for over the pipe."""
    served = Served()
    routes = [Route("/feed", served.follow), Route("/bare", served.bare)]
    acts: dict[str, Callable[..., Any]] = {
        "used": _used, "memory": _memory, "produce": served.produce, "forget": served.forget,
        "followers": served.there,
    }  # fmt: skip
    with run_in_thread(build_application(routes, limits={})) as address:
        pipe.send(int(address.rstrip("/").rpartition(":")[2]))
        while (order := pipe.recv()) is not None:
            act, *words = order
            pipe.send(acts[act](*words))


class Server:
    """The same from outside."""

    def __init__(self, pipe: Any, port: int) -> None:
        self._pipe = pipe
        self.port = port

    def ask(self, *order: Any) -> Any:
        """Have something done there."""
        self._pipe.send(order)
        return self._pipe.recv()

    def wait(self, followers: int) -> None:
        """Wait until so many are there."""
        while self.ask("followers") != followers:
            sleep(TICK)


@contextmanager
def server() -> Iterator[Server]:
    """Have one for a while."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    yield Server(ours, ours.recv())
    ours.send(None)
    process.join()


async def _bare(port: int) -> None:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    for _ in range(PAGES):
        writer.write(ASK % b"/bare")
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if b"content-length" in line)
        await reader.readexactly(int(length.split(b":")[1]))
    writer.close()


async def _reads(port: int) -> int:
    """Follow to the end; return how many frames came."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port, limit=LONGEST)
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


def _deaf(port: int) -> socket.socket:
    """Follow, and never read."""
    deaf = socket.create_connection((LOOPBACK, port))
    deaf.sendall(ASK % b"/feed")
    return deaf


async def _crowd(there: Server, readers: int, deaf: int, seconds: float) -> Crowd:
    before = there.ask("used")
    await _bare(there.port)
    bare = (there.ask("used") - before) / PAGES
    empty = there.ask("memory")
    stalled = [_deaf(there.port) for _ in range(deaf)]
    reading = [asyncio.create_task(_reads(there.port)) for _ in range(readers)]
    await asyncio.to_thread(there.wait, readers + deaf)
    used, began = there.ask("used"), monotonic()
    frames = await asyncio.to_thread(there.ask, "produce", seconds)
    came = await asyncio.gather(*reading)
    share = (there.ask("used") - used) / (monotonic() - began)
    full = there.ask("memory")
    for one in stalled:
        one.close()
    await asyncio.to_thread(there.wait, 0)
    there.ask("forget")
    grown = full - empty, there.ask("memory") - empty
    return Crowd(share, bare, sum(came) / (frames * readers), grown)


def crowd(readers: int, deaf: int = 0, seconds: float = 5.0) -> Crowd:
    """Have a crowd follow a feed for a while."""
    with server() as there:
        asyncio.run(_crowd(there, readers, 0, 1.0))  # warm
        return asyncio.run(_crowd(there, readers, deaf, seconds))


def crowds(
    readers: int = 200, deaf: int = 100, many: int = 500, seconds: float = 5.0
) -> list[Ratio]:
    """Return what followers cost, with and without others who never read, and what many do."""
    found = []
    for followers, others in ((readers, 0), (readers, deaf), (many, 0)):
        one = crowd(followers, others, seconds)
        who = f"{followers} followers" + f", {others} never read" * bool(others)
        found += [
            Ratio(f"{who}: share of a core", one.share),
            Ratio(f"{who}: a second of it / a bare page over a socket", one.share / one.bare),
            Ratio(f"{who}: frames that came / that were to come", one.delivered),
            Ratio(f"{who}: MB more while they are there", one.grown[0]),
            Ratio(f"{who}: MB more when they have left", one.grown[1]),
        ]
    return found
