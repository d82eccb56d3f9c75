"""Requests as bytes, over real sockets: to servers in this process, and to `arena web` itself."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic

import pytest
from attrs import define

from tests.support.command import ARENA
from tests.support.programs import TIMEOUT

GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST %s HTTP/1.1\r\nHost: localhost\r\n"
END = b"\r\n"  # of a header
CLOSE = b"Connection: close\r\n" + END
OK = b"HTTP/1.1 200 OK"
PIECE = 65_536  # bytes that are read at once


def open_connection(port: int, home: str = "127.0.0.1") -> socket.socket:
    """Return a connection to this machine, from any of its own addresses."""
    return socket.create_connection(("127.0.0.1", port), TIMEOUT, source_address=(home, 0))


def open_busy_connection(port: int, path: bytes) -> socket.socket:
    """Return a connection with a request under way: it was told to go on with its body."""
    wire = open_connection(port)
    wire.sendall(POST % path + b"Content-Length: 9\r\nExpect: 100-continue\r\n" + END)
    assert wire.recv(PIECE).startswith(b"HTTP/1.1 100 ")
    return wire


def send_and_read(port: int, text: bytes) -> bytes:
    """Send bytes on a connection of their own; return all that comes until the server closes."""
    with open_connection(port) as wire:
        with suppress(ConnectionError):  # who is refused a connection may not even be heard
            wire.sendall(text)
        return read_to_end(wire)


def read_to_end(wire: socket.socket) -> bytes:
    """Return all that comes until the server closes a connection, politely or not."""
    pieces = []
    with suppress(ConnectionError):
        while piece := wire.recv(PIECE):
            pieces.append(piece)
    return b"".join(pieces)


def fetch_status(port: int, path: bytes) -> bytes:
    """Return the first line of the answer of who asks for a page."""
    return send_and_read(port, GET % path + CLOSE).partition(b"\r\n")[0]


def send_slowly(wire: socket.socket) -> None:
    """Send one byte after the other until the server cuts a connection off."""
    wire.settimeout(0.01)
    until = monotonic() + TIMEOUT
    with suppress(ConnectionError):
        while monotonic() < until:
            wire.sendall(b"x")
            with suppress(TimeoutError):
                if not wire.recv(PIECE):
                    return
        pytest.fail("it goes on for ever")


def is_said_once(said: str, words: str) -> bool:
    """Whether a log has nothing but one message, and perhaps how often it came again."""
    first, *others = said.splitlines()
    counted = (line.endswith("times more in the last minute)") for line in others)
    return words in first and all(words in line for line in others) and all(counted)


@define
class Website:
    """`arena web` in a process of its own."""

    process: subprocess.Popen[str]
    port: int

    def end(self) -> str:
        """Interrupt it; return what it has said on standard error."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=TIMEOUT)
        assert self.process.returncode == 0
        return said


@contextmanager
def website(*before: str) -> Iterator[Website]:
    """Run it on a port that is free; `before` are the words that start it."""
    with subprocess.Popen(
        [*before, ARENA, "web", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout
            line = process.stdout.readline()
            assert line.startswith("arena web: http://localhost:"), line
            yield Website(process, int(line.split(":")[3].split("/")[0]))
        finally:
            process.kill()
