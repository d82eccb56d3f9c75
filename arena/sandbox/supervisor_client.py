"""The host's side of sandboxes: the supervisor, and a handle for each program."""

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
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from arena.sandbox.kernel.cgroup import OWN_GROUP, find_scope_command
from arena.sandbox.kernel.features import Shortcomings
from arena.sandbox.messages import (
    FREE,
    MAX_MESSAGE_BYTES,
    START,
    KeeperReport,
    LaunchRequest,
    write_request,
)

LOG = logging.getLogger(__name__)
MAX_REPORT_BYTES = 1 << 16
START_TIMEOUT_SECONDS = 60.0  # seconds until a sandbox stands, where the machine is very busy
END_TIMEOUT_SECONDS = 60.0  # seconds until all is gone
SUPERVISOR_ARGUMENTS = ("-I", "-m", "arena.sandbox.processes.supervisor")


class SupervisorClient:
    """The client of the supervisor process, which is started when it is first needed."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._idle = IdleLaunchers()
        self._shortcomings = Shortcomings(users="", folders="", limits="")

    def start(self, request: LaunchRequest, descriptors: list[int]) -> LauncherLine:
        """Start a program with these streams and this socket for its keeper; raise OSError."""
        file = write_request(request)
        try:
            with self._lock:
                return self._send_start(request, [file, *descriptors])
        finally:
            os.close(file)

    def _send_start(self, request: LaunchRequest, given: list[int]) -> LauncherLine:
        """Send a start to an idle launcher or to the supervisor."""
        connection = self._get_connection()
        program = describe_program(request, self._process.pid if self._process else 0)
        if idle := self._idle.take(program):
            with suppress(BrokenPipeError, ConnectionResetError):  # somebody has ended it
                socket.send_fds(idle.line, [START], given)
                return idle
            idle.line.close()
        line, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            try:
                socket.send_fds(connection, [START], [*given, there.fileno()])
            except OSError:
                line.close()
                raise
        return LauncherLine(program, line)

    def give_back(self, launcher: LauncherLine) -> None:
        """Keep the launcher of a program that has ended for the same program."""
        with self._lock:
            self._idle.give_back(launcher)

    def end_idle(self) -> None:
        """End the launchers that have no program now."""
        with self._lock:
            self._idle.close()

    def find_shortcomings(self) -> Shortcomings:
        """Return the reasons why protections are weaker here than they could be; raise OSError."""
        with self._lock:
            self._get_connection()
            return self._shortcomings

    def _get_connection(self) -> socket.socket:
        if self._socket is None or (self._process and self._process.poll() is not None):
            self._disconnect()
            for words in _iter_commands():
                if self._connect(words):
                    break
        if self._socket is None:
            raise SandboxError("the sandbox supervisor does not start")
        return self._socket

    def _connect(self, words: Sequence[str]) -> bool:
        """Start a supervisor with a command line; return whether it works."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            number = there.fileno()
            process = subprocess.Popen(
                [*words, str(number)], pass_fds=[number], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, cwd="/", start_new_session=True,
            )  # fmt: skip
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        if said := here.recv(MAX_REPORT_BYTES):
            self._socket, self._process = here, process
            self._shortcomings = json.loads(said)
            return True
        here.close()
        process.wait()
        return False

    def _disconnect(self) -> None:
        self._idle.close()
        if self._socket:
            self._socket.close()
        self._socket, self._process = None, None

    def forget(self) -> None:
        """Forget the supervisor, in a forked child, which will start its own."""
        self._disconnect()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the supervisor."""
        process = self._process
        self.forget()
        if process:
            process.wait()


def _iter_commands() -> Iterator[list[str]]:
    """Yield command lines to try; the first lets the kernel count what programs use."""
    plain = [sys.executable, *SUPERVISOR_ARGUMENTS]
    if scope := find_scope_command():
        yield [*scope, *plain, OWN_GROUP]
    yield plain


MAX_IDLE = 16  # launchers, each of which takes a few MB
OF_ONE_START = ("folder", "inside", "environment")  # what differs from start to start of a bot


class IdleLaunchers:
    """The lines to launchers that have no program now, the least recently used first.

    Most of what a start costs beside the program itself is the launcher's own process. A bot that
    is started again and again keeps one. It is never used for another bot, nor for other limits.
    """

    def __init__(self) -> None:
        self._waiting: list[LauncherLine] = []
        self._starts: Counter[int] = Counter()  # by the hash of a program

    def take(self, program: str) -> LauncherLine | None:
        """Count a start of a program, and return a launcher for it, if there is one."""
        self._starts[hash(program)] += 1
        for launcher in reversed(self._waiting):
            if launcher.program == program:
                self._waiting.remove(launcher)
                if _is_free(launcher.line):
                    return launcher
                launcher.line.close()
                break
        return None

    def give_back(self, launcher: LauncherLine) -> None:
        """Keep the launcher of a program that has ended if that was not its first start."""
        if self._starts[hash(launcher.program)] == 1:
            launcher.line.close()
            return
        self._waiting.append(launcher)
        while len(self._waiting) > MAX_IDLE:
            self._waiting.pop(0).line.close()

    def close(self) -> None:
        """End all of them."""
        while self._waiting:
            self._waiting.pop().line.close()


class LauncherLine(NamedTuple):
    """The line to a launcher, and the program that it starts."""

    program: str  # as `describe_program` describes it
    line: socket.socket


def describe_program(request: LaunchRequest, supervisor: int) -> str:
    """Return the common parts of all starts of a bot, limits and supervisor included."""
    common = {name: value for name, value in request.items() if name not in OF_ONE_START}
    return json.dumps([supervisor, common])


def _is_free(line: socket.socket) -> bool:
    """Return whether a launcher has said that nothing is left of its last program."""
    with suppress(BlockingIOError, ConnectionResetError):
        return line.recv(MAX_MESSAGE_BYTES, socket.MSG_DONTWAIT) == FREE
    return False


SUPERVISOR_CLIENT = SupervisorClient()
os.register_at_fork(after_in_child=SUPERVISOR_CLIENT.forget)
atexit.register(SUPERVISOR_CLIENT.close)


def runs_as_other_users() -> bool:
    """Whether programs in a sandbox run as their own users, not as the host's user."""
    try:
        return not SUPERVISOR_CLIENT.find_shortcomings()["users"]
    except OSError:  # whoever starts a program is told
        return False


class SandboxedProcess:
    """A running program in its sandbox, as the host sees it."""

    def __init__(self, request: LaunchRequest) -> None:
        """Start the program; raise OSError if the host cannot.

        Nothing is waited for: programs that are started together come up together.
        """
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ends = [os.pipe(), os.pipe(), os.pipe()]
        given = [ends[0][0], ends[1][1], ends[2][1]]
        try:
            self._launcher = SUPERVISOR_CLIENT.start(request, [*given, there.fileno()])
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
        self.is_ready = False
        self.thread = threading.get_ident()
        self.report: KeeperReport = {}
        self.name = Path(request["words"][0]).name
        RUNNING_PROGRAMS.add(self)

    session = None
    """Always None: its keeper ends leftover processes."""

    @property
    def leftover_count(self) -> int:
        """The number of processes that it left behind."""
        return self.report.get("left", 0)

    @property
    def descriptor(self) -> int:
        """The descriptor that becomes readable when the program ends."""
        return self._socket.fileno()

    @property
    def status(self) -> int | None:
        """Return its exit status, minus the number of a signal, once it has ended."""
        return self.report.get("status")

    @property
    def stop_reason(self) -> str:
        """The limit for which it was ended, or ""."""
        return self.report.get("stopped", "")

    @property
    def discard_reason(self) -> str:
        """The limit that its written files exceed, so that they are not kept; or an empty string.

        Raises:
            OSError: where the host could not keep it.
        """
        problem = self.report.get("unkept", "")
        if number := self.report.get("errno"):
            raise OSError(number, problem)
        return problem

    def wait_until_ready(self) -> None:
        """Wait until the sandbox is set up; raise SandboxError if that fails."""
        if not self.is_ready:
            self._process_report(self._receive(START_TIMEOUT_SECONDS))

    def note_end(self) -> None:
        """Read how it ended, once the descriptor is readable; raise SandboxError."""
        while "status" not in self.report:
            self._process_report(self._receive(0.0))

    def signal(self, number: int) -> None:
        """Send a signal to all that the program has started, and to itself."""
        with suppress(OSError):
            self._socket.send(str(number).encode())

    def release(self) -> None:
        """End all its processes, without waiting for that."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Wait until all its processes have ended; its launcher may start it again."""
        RUNNING_PROGRAMS.discard(self)
        self.release()
        has_ended = False
        with suppress(OSError):
            while not has_ended and self._wait_readable(END_TIMEOUT_SECONDS):
                said = self._socket.recv(MAX_REPORT_BYTES)
                has_ended = not said
                self.report.update(json.loads(said or b"{}"))
        self._socket.close()
        if has_ended:
            SUPERVISOR_CLIENT.give_back(self._launcher)
        else:
            self._launcher.line.close()
        if problem := self.report.get("unkept"):
            LOG.warning("%s: its files were not kept: %s", self.name, problem)

    def _wait_readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _receive(self, seconds: float) -> bytes:
        if not self._wait_readable(seconds):
            raise SandboxError(f"{self.name}: the sandbox does not answer")
        return self._socket.recv(MAX_REPORT_BYTES)

    def _process_report(self, said: bytes) -> None:
        report: KeeperReport = json.loads(said) if said else {"broken": "its supervisor has died"}
        self.report.update(report)
        if "broken" in report:
            raise SandboxError(f"{self.name}: {report['broken']}{self._read_errors()}")
        self.is_ready = True

    def _read_errors(self) -> str:
        """Return the output of the sandbox itself, from before the program started."""
        errors = self.streams[2]
        os.set_blocking(errors.fileno(), False)
        said = (errors.read(MAX_REPORT_BYTES) or b"").decode(errors="replace").split("\n")
        return "".join(f" ({line})" for line in said[-2:] if line)


class SandboxError(OSError):
    """A sandbox that could not be set up, or whose keeper has died: the host's fault."""


RUNNING_PROGRAMS: set[SandboxedProcess] = set()
"""The programs of this process that are not closed yet."""


def release_all(thread: int | None = None) -> None:
    """End all sandboxed programs of this process, or of one of its threads.

    Any thread may ask for it. Whoever waits for one of them sees it end.
    """
    for program in RUNNING_PROGRAMS.copy():
        if thread in (None, program.thread):
            program.release()
