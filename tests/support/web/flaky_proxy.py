"""A line between a browser and a server, which can be cut and mended."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from urllib.parse import urlsplit

HERE = "127.0.0.1"
ENOUGH = 65_536  # bytes, at once


class Line(ThreadingTCPServer):
    """Passes on what is sent, in both directions; what is cut is cut in the middle of it."""

    daemon_threads = True

    def __init__(self, there: str) -> None:
        self.there = urlsplit(there)
        self.is_cut = False
        self.ends: list[socket.socket] = []
        super().__init__((HERE, 0), _Passing)

    @property
    def address(self) -> str:
        """Return the address by which the server is reached over this line."""
        return f"http://{HERE}:{self.server_address[1]}/"

    def cut(self) -> None:
        """Cut it: what is open ends, and what comes is turned away."""
        self.is_cut = True
        for end in self.ends:
            with suppress(OSError):  # it has ended by itself
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let everything through again."""
        self.is_cut = False


class _Passing(BaseRequestHandler):
    server: Line

    def handle(self) -> None:
        """Pass on until either side ends, or the line is cut."""
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
        while some := source.recv(ENOUGH):
            target.sendall(some)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def line_to(there: str) -> Iterator[Line]:
    """Lay a line to a server."""
    with Line(there) as line:
        thread = Thread(target=line.serve_forever)
        thread.start()
        try:
            yield line
        finally:
            line.cut()
            line.shutdown()
            thread.join()
