"""The server of an application: it runs until an interrupt, or in a thread for tests."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from types import FrameType

import click
import uvicorn

from arena import UserError
from arena.players import defer_signals, handle_signals
from arena.tournament.workers.leftovers import MARK_VARIABLE, RunMark
from arena_web.app import GuardedApplication
from arena_web.http.clients import TrustedProxies
from arena_web.http.connections import (
    Connection,
    ConnectionAcceptor,
    ConnectionLimits,
    Connections,
    raise_descriptor_limit,
)

LOOPBACK = "127.0.0.1"
HOST_NAME = "localhost"  # as which it is shown: cookies belong to the name by which one has come
BACKLOG = 1024  # connections that the system holds until they are accepted
TICKS_PER_SWEEP = 10  # of a tenth of a second each
SHUTDOWN_SECONDS = 2  # seconds for answers under way when the server is to end
START_SECONDS = 60  # seconds until a server in a thread must be there


class Server(uvicorn.Server):
    """A uvicorn server with its own connections and shutdown.

    Streams end first, at once, and the signal is not raised again: by itself it waits for open
    streams before it tells anybody that it is to end. Connections are accepted and limited by
    `arena_web.http.connections`.
    """

    def __init__(
        self,
        app: GuardedApplication,
        on_start: Callable[[], None],
        proxies: Sequence[str] = (),
        limits: ConnectionLimits | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,  # its own would close the handlers of whoever imports this
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),  # what these say of a visitor's address is taken
                forwarded_allow_ips=[*proxies],
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                http="h11",
                h11_max_incomplete_event_size=16_384,
                ws="none",
                lifespan="off",
            )
        )
        self._on_shutdown = app.on_shutdown
        self._throttle = app.throttle
        self._on_start = on_start
        self._connections = Connections(
            limits or ConnectionLimits(), TrustedProxies(proxies), app.reserved_paths
        )

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve with throttled logs."""
        with self._throttle.attach():
            await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, and signal that."""
        await super().startup([])
        for listener in sockets or ():
            acceptor = ConnectionAcceptor(
                listener, self._connections, self._build_connection, self._throttle
            )
            self.servers.append(acceptor)  # type: ignore[arg-type]  # it closes, too
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down; connections of clients that do not read their answers are closed."""
        await super().shutdown(sockets)
        self._connections.cut_off_all()
        await asyncio.sleep(0)  # until they are closed

    async def on_tick(self, counter: int) -> bool:
        """Check the connections, and whether the server should stop."""
        if counter % TICKS_PER_SWEEP == 0:
            self._connections.sweep()
            self._throttle.flush()
        return await super().on_tick(counter)

    def _build_connection(self, is_reserved: bool) -> Connection:  # a callback
        """Return the protocol of a new connection."""
        return Connection(
            self._connections,
            is_reserved=is_reserved,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Close all streams, and then stop."""
        for close in self._on_shutdown:
            close()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let a signal stop the server without raising it again afterwards."""
        if current_thread() is not main_thread():
            yield
            return
        with handle_signals(self.handle_exit):
            yield


def open_listener(port: int) -> socket.socket:
    """Return a socket that listens on this port of this machine; raise UserError if it is taken."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # said, or asyncio leaves TCP_NODELAY out
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as problem:
        listener.close()
        raise UserError(
            f"port {port} of {HOST_NAME} cannot be used ({problem.strerror}):"
            " choose another with --port"
        ) from None
    listener.listen(BACKLOG)
    return listener


def freeze_objects() -> None:
    """Exempt all present objects from garbage collection, as imported modules stay.

    To look through it again and again would cost as much as some pages.
    """
    gc.collect()
    gc.freeze()


def serve(
    app: GuardedApplication,
    port: int,
    *,
    browse: bool = False,
    proxies: Sequence[str] = (),
    find_path: Callable[[], str] = str,
    on_start: Callable[[], None] = lambda: None,
    join: Callable[[], None] = lambda: None,
) -> None:
    """Serve until an interrupt; print the address, or open it in a browser (`browse`).

    Args:
        app: the application.
        port: where to listen on this machine; 0 for any free port.
        browse: whether to open the first page in a browser.
        proxies: the addresses of trusted proxies, whose headers name the clients.
        find_path: returns the path of the first page below the root, once the event loop runs.
        on_start: called when the server answers.
        join: waits for all that the server has started, after its end.
    """
    raise_descriptor_limit()
    listener = open_listener(port)
    port = listener.getsockname()[1]
    address = f"http://{HOST_NAME}:{port}/"

    def announce() -> None:
        on_start()
        first_page = address + find_path()
        click.echo(f"arena web: {first_page} (press Ctrl-C to stop)")
        if browse:
            webbrowser.open(first_page)

    freeze_objects()
    with listener, clean_up_programs(port):
        try:
            Server(app, announce, proxies).run([listener])
        finally:
            join()


@contextmanager
def clean_up_programs(port: int) -> Iterator[None]:
    """Clean up programs of tables that an earlier server of this port left, and those of this one.

    They carry a mark in their environment, as those of a tournament do, and so does all that they
    start. It is that of the port, which one server has at a time: where one was killed, the next
    that listens there ends what it has left.
    """
    mark = RunMark(f"web-{os.getuid()}-{port}")
    mark.kill_programs()
    os.environ[MARK_VARIABLE] = mark.text
    try:
        yield
    finally:
        with defer_signals():
            mark.kill_programs()
        del os.environ[MARK_VARIABLE]


@contextmanager
def run_in_thread(
    app: GuardedApplication, proxies: Sequence[str] = (), limits: ConnectionLimits | None = None
) -> Iterator[str]:
    """Serve in a thread on a free port; yield the address, which ends with a slash."""
    started = Event()
    server = Server(app, started.set, proxies, limits)
    with open_listener(0) as listener:
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            assert started.wait(START_SECONDS), "the server did not start"
            yield f"http://{LOOPBACK}:{listener.getsockname()[1]}/"
        finally:
            server.handle_exit(signal.SIGTERM, None)
            thread.join()
