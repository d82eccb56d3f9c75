"""The connections of a server, with limits on their number and on waiting.

Uvicorn waits without a limit for the header of a request, and for a client that does not read its
answer. Python's event loop accepts connections until no descriptor is left, and then logs a
traceback for each failed accept. So this module does both:

- It cuts off a connection that sends no whole header in time, or reads nothing of its answer.
- It limits the number of all connections, and more strictly the number of each address. At the
  limit, a new connection replaces the one that has been idle longest, so a client with a thousand
  idle connections keeps nobody away. A proxy's connections belong to all visitors: only the limit
  of all holds for them, and the guard limits what each visitor may do at once.
- Beyond the limit it accepts a few more. It answers these only if they ask for a page that tells
  the host whether the server is well, which matters most when the server is full.
- If descriptors run out all the same, it makes room in the same way, or tries again later.

The guard also limits the time for the body of a request, because it knows what is sent.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import struct
from asyncio import Transport
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import h11
from attrs import define, field, frozen
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.rules import describe_error
from arena_web.http.clients import TrustedProxies, find_network
from arena_web.http.log_throttle import LogThrottle
from arena_web.http.request_bodies import has_body

MAX_CONNECTIONS = 1000
MAX_CONNECTIONS_PER_ADDRESS = 200
HEADER_SECONDS = 15.0  # for a whole header, from the end of the answer before it
STALL_SECONDS = 120.0  # for the next bytes of an answer: a proxy's system may hold some megabytes
PROGRESS_BYTES = 4096  # of an answer that a client reads at least in that time
READ_BYTES = 16_384  # that are taken apart at once; no header is longer
MAX_DESCRIPTORS = 65_536  # that are asked for, of as many as the system may allow
RESERVED_DESCRIPTORS = 256  # for databases, files and programs
RESERVED_CONNECTIONS = 4  # beyond the limits, for the pages of the host
RETRY_SECONDS = 1.0  # until it is tried again to accept connections
RESET = struct.pack("ii", 1, 0)  # of SO_LINGER: closing drops what was not sent
BUSY_MESSAGE = "too many connections: try again in 5 s\n"
BUSY_HEADERS = {"Connection": "close", "Retry-After": "5"}
BUSY = "\r\n".join([
    "HTTP/1.1 503 Service Unavailable", *map(": ".join, BUSY_HEADERS.items()),
    "Content-Type: text/plain", "", BUSY_MESSAGE,
]).encode()  # fmt: skip


def raise_descriptor_limit() -> None:
    """Raise this process's limit of file descriptors as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def count_places() -> int:
    """Return the number of connections that the limit of descriptors allows."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(MAX_CONNECTIONS, max(soft // 2, soft - RESERVED_DESCRIPTORS))


@frozen
class ConnectionLimits:
    """Limits on the number and the times of connections."""

    total: int = field(factory=count_places)
    per_address: int = MAX_CONNECTIONS_PER_ADDRESS
    header: float = HEADER_SECONDS
    stall: float = STALL_SECONDS
    reserved: int = RESERVED_CONNECTIONS


@define(eq=False)
class Connections:
    """All connections of a server by client network, and the waiting ones."""

    limits: ConnectionLimits = field(factory=ConnectionLimits)
    proxies: TrustedProxies = field(factory=TrustedProxies)
    reserved_paths: Collection[str] = ()  #: of the pages for which connections are reserved
    _waiting: dict[Connection, None] = field(init=False, factory=dict)  # the longest first
    _by_network: dict[str, dict[Connection, None]] = field(
        init=False, factory=lambda: defaultdict(dict)
    )  # those that wait in the order of `waiting`
    _count: int = field(init=False, default=0)
    _reserved: dict[Connection, None] = field(init=False, factory=dict)

    def make_room(self, address: str) -> bool:
        """Whether there is room for a connection from an address, after dropping a waiting one."""
        if address not in self.proxies:
            same_network = self._by_network.get(find_network(address), {})
            if len(same_network) >= self.limits.per_address:
                return self._drop_longest(same_network)
        return self._count < self.limits.total or self.drop_waiting()

    def make_reserved_room(self) -> bool:
        """Whether there is room beyond the limits, after dropping a connection that waits there."""
        if not self.reserved_paths:
            return False
        return len(self._reserved) < self.limits.reserved or self._drop_longest(self._reserved)

    def drop_waiting(self) -> bool:
        """Drop the connection that has waited longest; return whether there was one."""
        return self._drop_longest(self._waiting)

    def add(self, connection: Connection) -> None:
        """Add a connection."""
        if connection.is_reserved:
            self._reserved[connection] = None
            return
        self._waiting[connection] = None
        self._by_network[connection.network][connection] = None
        self._count += 1

    def begin_answer(self, connection: Connection) -> None:
        """Record that a connection waits no more: its request is there."""
        self._waiting.pop(connection, None)

    def end_answer(self, connection: Connection) -> None:
        """Record that a connection waits again, behind all others that wait."""
        same_network = self._by_network.get(connection.network, {})
        if connection in same_network:
            for connections in (self._waiting, same_network):
                connections.pop(connection, None)
                connections[connection] = None

    def remove(self, connection: Connection) -> None:
        """Remove a connection."""
        if connection.is_reserved:
            self._reserved.pop(connection, None)
            return
        self._waiting.pop(connection, None)
        same_network = self._by_network[connection.network]
        if connection in same_network:
            del same_network[connection]
            self._count -= 1
        if not same_network:
            del self._by_network[connection.network]

    def sweep(self) -> None:
        """Close connections that have been waiting for too long."""
        now = asyncio.get_running_loop().time()
        for connection in self._list_all():
            if connection.is_overdue(now):
                connection.cut_off()

    def cut_off_all(self) -> None:
        """Close every connection, even if its answer has not been read."""
        for connection in self._list_all():
            connection.cut_off()

    def _list_all(self) -> list[Connection]:
        return [*self._reserved, *chain.from_iterable(self._by_network.values())]

    def _drop_longest(self, some: Iterable[Connection]) -> bool:
        idle = next((connection for connection in some if connection.is_idle), None)
        if idle is not None:
            idle.cut_off()
        return idle is not None


class Connection(H11Protocol):
    """A uvicorn connection that is counted and has timeouts.

    One that is reserved has one request, and is answered only if that is for a reserved page.
    """

    def __init__(
        self, connections: Connections, *, is_reserved: bool = False, **uvicorn: Any
    ) -> None:
        super().__init__(**uvicorn)
        self._connections, self.is_reserved = connections, is_reserved
        if is_reserved:
            self.app: ASGIApp = ReservedPages(self.app, connections.reserved_paths)
        self._since = self.loop.time()  # when it began to wait, or to get on with its answer
        self._unsent = 0  # bytes of its answer, then
        self.network = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the connection is not answering a request."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_idle(self) -> bool:
        """Whether the connection waits for a request and has sent its last answer."""
        return self.is_waiting and not self.transport.get_write_buffer_size()

    def is_overdue(self, now: float) -> bool:
        """Whether the connection has waited for its client for too long."""
        limits, unsent = self._connections.limits, self.transport.get_write_buffer_size()
        if unsent and (self.flow.write_paused or self.transport.is_closing()):
            if abs(unsent - self._unsent) >= PROGRESS_BYTES:
                self._since, self._unsent = now, unsent
            return now - self._since > limits.stall
        return self.is_waiting and now - self._since > limits.header

    def cut_off(self) -> None:
        """Close the connection at once and free its place."""
        self._connections.remove(self)
        if self.transport.get_write_buffer_size():  # the system is not to wait for the client, too
            connection = self.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.transport.abort()

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn's
        """Add the connection, which waits for a request."""
        super().connection_made(transport)
        self.network = find_network(self.client[0]) if self.client else ""
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        super().connection_lost(exc)
        self._connections.remove(self)

    def data_received(self, data: bytes) -> None:
        """Parse received data in pieces, so that the header limit always applies."""
        for start in range(0, len(data), READ_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + READ_BYTES])

    def handle_events(self) -> None:
        """Parse received data; a complete request ends the waiting."""
        super().handle_events()
        if not self.is_waiting:
            self._connections.begin_answer(self)

    def on_response_complete(self) -> None:
        """Wait for the next request, behind all other waiting connections.

        Of a body that the guard reads no further there may be any amount: that ends here.
        """
        if self.is_reserved:
            self.transport.close()
            return
        if self.cycle.more_body:
            self.transport.close()
        self._restart()
        self._connections.end_answer(self)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the timeout for the client to read."""
        super().pause_writing()
        self._restart()

    def resume_writing(self) -> None:
        """Stop the timeout: the client reads."""
        super().resume_writing()
        self._restart()

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request unless another answer has started; then close."""
        self._give_up()
        with suppress(h11.LocalProtocolError):
            super().send_400_response(msg)
        self.transport.close()

    def shutdown(self) -> None:
        """Close after the current answer, or at once if the request is incomplete."""
        if self.transport.is_closing():  # and its client does not read
            self.cut_off()
            return
        super().shutdown()
        if not self.is_waiting and self.cycle.more_body:
            self._give_up()
            self.transport.close()

    def _give_up(self) -> None:
        """Tell the application that the client has disconnected."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _restart(self) -> None:
        self._since, self._unsent = self.loop.time(), self.transport.get_write_buffer_size()

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: a request to upgrade the protocol is answered normally."""


@frozen
class ReservedPages:
    """An application that answers for some of its pages alone; their requests have no body."""

    app: ASGIApp
    paths: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["path"] in self.paths and not has_body(scope):
            await self.app(scope, receive, send)
        else:
            busy = PlainTextResponse(BUSY_MESSAGE, 503, BUSY_HEADERS)
            await busy(scope, receive, send)


@define(eq=False)
class ConnectionAcceptor:
    """Accepts connections on a listening socket from now on, in place of an asyncio server."""

    listener: socket.socket
    connections: Connections
    make: Callable[[bool], Connection]  #: makes a reserved one, or another
    throttle: LogThrottle
    _task: asyncio.Task[None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.listener.setblocking(False)
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Stop accepting connections."""
        self._task.cancel()

    async def wait_closed(self) -> None:
        """Wait until no more connections are accepted."""
        await asyncio.wait({self._task})

    async def _run(self) -> None:
        while True:
            await self._wait_for_client()
            try:
                peer, address = self.listener.accept()
            except (BlockingIOError, ConnectionError):  # the client has gone meanwhile
                continue
            except OSError as problem:  # no descriptor, or no memory
                await self._free_descriptor(problem)
                continue
            await self._take(peer, address[0])

    async def _wait_for_client(self) -> None:
        """Wait for a client.

        To accept one that has not come would fail where descriptors run out, and cost another one
        its place.
        """
        loop, came = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.listener, came.set)
        try:
            await came.wait()
        finally:
            loop.remove_reader(self.listener)

    async def _take(self, peer: socket.socket, address: str) -> None:
        """Serve a connection, or answer that there is no room for it."""
        is_reserved = not self.connections.make_room(address)
        if not is_reserved or self.connections.make_reserved_room():
            peer.setblocking(False)
            make = partial(self.make, is_reserved)
            await asyncio.get_running_loop().connect_accepted_socket(make, peer)
            return
        with peer, suppress(OSError):
            peer.setblocking(False)
            peer.send(BUSY)
            peer.shutdown(socket.SHUT_WR)
            peer.recv(READ_BYTES)  # what was not read would take the answer back

    async def _free_descriptor(self, problem: OSError) -> None:
        """Drop a waiting connection, or wait for a free descriptor."""
        why = describe_error(problem)
        self.throttle.say(f"cannot accept connections ({why}); retrying")
        await asyncio.sleep(0 if self.connections.drop_waiting() else RETRY_SECONDS)
