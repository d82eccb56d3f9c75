"""Running the server: until it is interrupted, or for a test in a thread."""

from __future__ import annotations

import gc
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType

import click
import uvicorn
from starlette.applications import Starlette

from arena.rules import UserError
from arena_web.tidy import tidied

HERE = "127.0.0.1"
PATIENCE = 2  # seconds for answers under way when the server is to end
STARTING = 60  # seconds until a server in a thread must be there


class Server(uvicorn.Server):
    """Uvicorn, but for how it ends: streams first, at once, and without raising the signal again.

    By itself it waits for open streams before it tells anybody that it is to end.
    """

    def __init__(
        self, app: Starlette, listening: Callable[[], None], proxies: Sequence[str] = ()
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),  # what these say of a visitor's address is taken
                forwarded_allow_ips=[*proxies],
                timeout_graceful_shutdown=PATIENCE,
                h11_max_incomplete_event_size=16_384,
                ws="none",
                lifespan="off",
            )
        )
        self._closing: list[Callable[[], None]] = app.state.closing
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Close all streams, and then end."""
        for close in self._closing:
            close()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let a signal end the server, and nothing else: that is how it is meant to end."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def bound(port: int) -> socket.socket:
    """Return a socket that listens on this port of this machine; raise UserError if it is taken."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # said, or asyncio leaves TCP_NODELAY out
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HERE, port))
    except OSError as problem:
        listener.close()
        raise UserError(
            f"port {port} of {HERE} cannot be had ({problem.strerror}): choose another by --port"
        ) from None
    listener.listen(128)
    return listener


def settle() -> None:
    """Have the garbage collector pass over all that is here, as what was imported stays.

    To look through it again and again would cost as much as some pages.
    """
    gc.collect()
    gc.freeze()


def serve(
    app: Starlette,
    port: int,
    *,
    browse: bool = False,
    proxies: Sequence[str] = (),
    way: Callable[[], str] = str,
    ended: Callable[[], None] = lambda: None,
) -> None:
    """Serve until an interrupt comes; say where as soon as it listens, or show it (`browse`).

    Of `proxies`, which are addresses, it is believed for whom they ask. `way` returns what comes
    behind the root, once the event loop runs. `ended` waits for what is still to end; then nothing
    that the server has started is left.
    """
    listener = bound(port)
    found = listener.getsockname()[1]
    address = f"http://{HERE}:{found}/"

    def listening() -> None:
        there = address + way()
        click.echo(f"arena web: {there} (Ctrl-C ends it)")
        if browse:
            webbrowser.open(there)

    settle()
    with listener, tidied(found):
        try:
            Server(app, listening, proxies).run([listener])
        finally:
            ended()


@contextmanager
def running(app: Starlette, proxies: Sequence[str] = ()) -> Iterator[str]:
    """Serve in a thread on a port that is free, and give the address, which ends with a slash."""
    listener, there = bound(0), Event()
    server = Server(app, there.set, proxies)
    thread = Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        assert there.wait(STARTING), "the server has not come up"
        yield f"http://{HERE}:{listener.getsockname()[1]}/"
    finally:
        server.handle_exit(signal.SIGTERM, None)
        thread.join()
        listener.close()
