"""A proxy between a browser and a server that can be interrupted."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from urllib.parse import urlsplit

HERE = "127.0.0.1"
READ_BYTES = 65_536  # at once


class FlakyProxy(ThreadingTCPServer):
    """Forwards bytes in both directions until it is cut."""

    daemon_threads = True

    def __init__(self, there: str) -> None:
        self.there = urlsplit(there)
        self.is_cut = False
        self.ends: list[socket.socket] = []
        super().__init__((HERE, 0), _Passing)

    @property
    def address(self) -> str:
        """Return the address of the server through this proxy."""
        return f"http://{HERE}:{self.server_address[1]}/"

    def cut(self) -> None:
        """Close all connections, and refuse new ones."""
        self.is_cut = True
        for end in self.ends:
            with suppress(OSError):  # it has ended by itself
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Accept connections again."""
        self.is_cut = False


class _Passing(BaseRequestHandler):
    server: FlakyProxy

    def handle(self) -> None:
        """Forward bytes until either side ends, or the proxy is cut."""
        if self.server.is_cut:
            return
        where = self.server.there
        with socket.create_connection((where.hostname, where.port)) as other:
            self.server.ends += [self.request, other]
            back = Thread(target=_forward, args=(other, self.request), daemon=True)
            back.start()
            _forward(self.request, other)
            back.join()


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(READ_BYTES):
            target.sendall(some)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def run_proxy(there: str) -> Iterator[FlakyProxy]:
    """Run a proxy to a server for a block."""
    with FlakyProxy(there) as line:
        thread = Thread(target=line.serve_forever)
        thread.start()
        try:
            yield line
        finally:
            line.cut()
            line.shutdown()
            thread.join()
