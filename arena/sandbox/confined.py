"""The host's side of a sandbox: its supervisor, and one handle for each program."""

from __future__ import annotations

import atexit
import json
import logging
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from arena.sandbox.abilities import Shortcomings
from arena.sandbox.cgroup import OWN_GROUP, find_scope_command
from arena.sandbox.request import Report, Request

LOG = logging.getLogger(__name__)
LONGEST_REPORT = 1 << 16
STARTING = 60.0  # seconds until a sandbox stands, where the machine is very busy
ENDING = 60.0  # seconds until all is gone
SUPERVISOR = ("-I", "-m", "arena.sandbox.supervisor")


class SandboxFailed(OSError):
    """The sandbox did not stand, or its keeper is gone: that is the host's fault."""


class Supervisor:
    """The process that starts programs for this one; it is started when it is first needed."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._shortcomings = Shortcomings(users="", folders="", limits="")

    def start(self, request: Request, descriptors: list[int]) -> None:
        """Have a program started, with these for its streams and for its keeper."""
        with self._lock:
            socket.send_fds(self._connected(), [json.dumps(request).encode()], descriptors)

    def find_shortcomings(self) -> Shortcomings:
        """Return why protections are weaker here than they could be; raise OSError."""
        with self._lock:
            self._connected()
            return self._shortcomings

    def _connected(self) -> socket.socket:
        if self._socket is None or (self._process and self._process.poll() is not None):
            self._let_go()
            for words in _commands():
                if self._connect(words):
                    break
        if self._socket is None:
            raise SandboxFailed("the supervisor of programs does not start")
        return self._socket

    def _connect(self, words: Sequence[str]) -> bool:
        """Start a supervisor by a command line; return whether it works."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            number = there.fileno()
            process = subprocess.Popen(
                [*words, str(number)], pass_fds=[number], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, cwd="/", start_new_session=True,
            )  # fmt: skip
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        if said := here.recv(LONGEST_REPORT):
            self._socket, self._process = here, process
            self._shortcomings = json.loads(said)
            return True
        here.close()
        process.wait()
        return False

    def _let_go(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket, self._process = None, None

    def forget(self) -> None:
        """Let it go, in a child that will have its own."""
        self._let_go()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End it."""
        process = self._process
        self.forget()
        if process:
            process.wait()


def _commands() -> Iterator[list[str]]:
    """Yield command lines to try: the first has the kernel count what programs use."""
    plain = [sys.executable, *SUPERVISOR]
    if scope := find_scope_command():
        yield [*scope, *plain, OWN_GROUP]
    yield plain


SUPERVISOR_OF_THIS = Supervisor()
os.register_at_fork(after_in_child=SUPERVISOR_OF_THIS.forget)
atexit.register(SUPERVISOR_OF_THIS.close)


def runs_as_other_users() -> bool:
    """Whether programs in a sandbox run as users of their own, and not as the host's."""
    try:
        return not SUPERVISOR_OF_THIS.find_shortcomings()["users"]
    except OSError:  # whoever starts a program is told
        return False


RUNNING: set[Confined] = set()
"""The programs of this process that are not closed yet."""


def release_all(thread: int | None = None) -> None:
    """Have all programs ended that this process, or one thread of it, has in sandboxes.

    Any thread may ask for it. Whoever waits for one of them sees it end.
    """
    for program in RUNNING.copy():
        if thread in (None, program.thread):
            program.release()


class Confined:
    """A program in its sandbox: what runs, seen from the host."""

    def __init__(self, request: Request) -> None:
        """Have it started; raise OSError where the host cannot.

        Nothing is waited for: programs that are started together come up together.
        """
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ends = [os.pipe(), os.pipe(), os.pipe()]
        given = [ends[0][0], ends[1][1], ends[2][1]]
        try:
            SUPERVISOR_OF_THIS.start(request, [*given, there.fileno()])
        except BaseException:
            for end in (ends[0][1], ends[1][0], ends[2][0]):
                os.close(end)
            self._socket.close()
            raise
        finally:
            there.close()
            for end in given:
                os.close(end)
        self.streams: tuple[IO[bytes], IO[bytes], IO[bytes]] = (
            os.fdopen(ends[0][1], "wb", 0), os.fdopen(ends[1][0], "rb", 0),
            os.fdopen(ends[2][0], "rb", 0),
        )  # fmt: skip
        self.stands = False
        self.thread = threading.get_ident()
        self.report: Report = {}
        self.name = Path(request["words"][0]).name
        RUNNING.add(self)

    session = None
    """What it leaves behind is its keeper's business."""

    @property
    def left(self) -> int:
        """Return how many processes it has left behind."""
        return self.report.get("left", 0)

    @property
    def descriptor(self) -> int:
        """Return what stirs when it has ended."""
        return self._socket.fileno()

    @property
    def status(self) -> int | None:
        """Return its exit status, minus the number of a signal, once it has ended."""
        return self.report.get("status")

    @property
    def stopped(self) -> str:
        """Return the limit that it has passed, if it was ended for that."""
        return self.report.get("stopped", "")

    @property
    def unkept(self) -> str:
        """Return which limit what it has written passes, so that it is not kept.

        Raises:
            OSError: where the host could not keep it.
        """
        problem = self.report.get("unkept", "")
        if number := self.report.get("errno"):
            raise OSError(number, problem)
        return problem

    def wait_up(self) -> None:
        """Wait until the sandbox stands; raise SandboxFailed where it does not."""
        if not self.stands:
            self._see(self._received(STARTING))

    def see_ended(self) -> None:
        """Take in how it ended, once the descriptor has stirred; raise SandboxFailed."""
        while "status" not in self.report:
            self._see(self._received(0.0))

    def signal(self, number: int) -> None:
        """Send a signal to all that the program has started, and to itself."""
        with suppress(OSError):
            self._socket.send(str(number).encode())

    def release(self) -> None:
        """Have all of it ended, without waiting for it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Wait until all of it is gone: its keeper ends last."""
        RUNNING.discard(self)
        self.release()
        with suppress(OSError):
            while self._readable(ENDING) and (said := self._socket.recv(LONGEST_REPORT)):
                self.report.update(json.loads(said))
        self._socket.close()
        if problem := self.report.get("unkept"):
            LOG.warning("%s: what it has written is not kept: %s", self.name, problem)

    def _readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _received(self, seconds: float) -> bytes:
        if not self._readable(seconds):
            raise SandboxFailed(f"{self.name}: the sandbox does not answer")
        return self._socket.recv(LONGEST_REPORT)

    def _see(self, said: bytes) -> None:
        report: Report = json.loads(said) if said else {"broken": "the keeper is gone"}
        self.report.update(report)
        if "broken" in report:
            raise SandboxFailed(f"{self.name}: {report['broken']}{self._last_words()}")
        self.stands = True

    def _last_words(self) -> str:
        """Return what the sandbox itself said, before there was a program."""
        errors = self.streams[2]
        os.set_blocking(errors.fileno(), False)
        said = (errors.read(LONGEST_REPORT) or b"").decode(errors="replace").split("\n")
        return "".join(f" ({line})" for line in said[-2:] if line)
