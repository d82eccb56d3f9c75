"""The host's side of a starter, a small process that starts trusted programs.

Requests and answers are messages on a socket: fields with a NUL between them.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from arena.players.interrupts import defer_signals

FOLDER = Path(__file__).with_name("starter")
MAX_REPLY_BYTES = 1 << 18
SEND_BYTES = 1 << 20  # of a request
READY_TIMEOUT_SECONDS = 60.0  # until an interpreter runs, where the machine is very busy
SEPARATOR = b"\0"
YES = b"1"


class StarterError(OSError):
    """A starter that does not answer: it has been ended."""


class ProgramStarter:
    """A starter process, and the programs that it has started."""

    def __init__(self, interpreter: str, environment: Mapping[str, str]) -> None:
        """Start it by an interpreter of Python; raise OSError."""
        self._lock = threading.Lock()
        self._number = 0
        self.is_usable = True
        self.forks = 0
        self.programs: set[int] = set()
        self._statuses: dict[int, int] = {}  # of programs that have been reaped
        self.state = read_interpreter_state(interpreter)
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipe = subprocess.PIPE
        with there:
            self._process = subprocess.Popen(
                [interpreter, *self._build_arguments(there.fileno())], env=environment, cwd="/",
                pass_fds=[there.fileno()], stdin=pipe, stdout=pipe, stderr=pipe,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        self._socket.settimeout(READY_TIMEOUT_SECONDS)
        try:
            self.can_fork, can_start = [field == YES for field in self._receive(0)]
        except OSError:
            can_start = False
        self._socket.settimeout(None)
        if not can_start:
            self.close()
            raise StarterError(f"{interpreter}: it cannot start other programs")

    @property
    def number(self) -> int:
        """The number of its process."""
        return self._process.pid

    def _build_arguments(self, descriptor: int) -> list[str]:
        """Return the script that the interpreter runs, and what it needs."""
        return [str(FOLDER / "run.py"), str(descriptor)]

    def start(self, words: Sequence[bytes], folder: bytes, streams: Sequence[int]) -> int:
        """Start a program with these streams; return its number; raise OSError."""
        process, problem = map(int, self._ask(b"start", folder, *words, streams=streams))
        if problem:
            raise OSError(problem, os.strerror(problem))
        self.programs.add(process)
        return process

    def fork(self, words: Sequence[bytes], folder: bytes, streams: Sequence[int]) -> int:
        """Run a script in a fork; return its number, or 0 if it is to be started plainly."""
        (found,) = self._ask(b"warm", folder, *words, streams=streams)
        process = int(found)
        if process:
            self.forks += 1
            self.programs.add(process)
        return process

    def find_leftovers(self, ended: Sequence[int]) -> list[tuple[int, str]]:
        """Return the processes that ended programs have left behind, with their start times.

        Programs that have left nothing are reaped.
        """
        found = []
        for field in self._ask(b"find", *map(encode_number, ended)):
            process, kind, text = field.decode().partition("=" if b"=" in field else " ")
            if kind == "=":
                self._statuses[int(process)] = int(text)
            else:
                found.append((int(process), text))
        return found

    def reap(self, process: int) -> int | None:
        """Return the exit status of a program that has ended, or None if it is not known."""
        self.programs.discard(process)
        if process in self._statuses:
            return self._statuses.pop(process)
        (status,) = self._ask(b"reap", encode_number(process))
        return int(status) if status else None

    def _ask(self, *request: bytes, streams: Sequence[int] = ()) -> list[bytes]:
        with self._lock, defer_signals():
            self._number += 1
            message = SEPARATOR.join((encode_number(self._number), *request))
            try:
                if not self.is_usable:
                    raise StarterError("the process that starts programs has ended")
                socket.send_fds(self._socket, [message], [*streams])
                return self._receive(self._number)
            except OSError:
                self.is_usable = False
                raise

    def _receive(self, number: int) -> list[bytes]:
        said = self._socket.recv(MAX_REPLY_BYTES)
        if not said:
            raise StarterError("the process that starts programs has ended")
        answered, *reply = said.split(SEPARATOR)
        if answered != encode_number(number):
            raise StarterError("the process that starts programs is out of step")
        return reply

    def forget(self) -> None:
        """Forget the process, in a forked child, which will start its own."""
        self.is_usable = False
        self._socket.close()

    def close(self) -> None:
        """End the process, and all programs that it has started."""
        self.forget()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        self._process.wait()


def encode_number(number: int) -> bytes:
    """Return the digits of a number."""
    return b"%d" % number


def read_interpreter_state(interpreter: str) -> tuple[object, ...]:
    """Return numbers that change when an interpreter or its virtual environment changes."""
    state: list[object] = []
    environment = os.path.dirname(os.path.dirname(interpreter))  # noqa: PTH120  # this is hot
    for path in (interpreter, f"{environment}/pyvenv.cfg"):
        with suppress(OSError):
            found = os.stat(path)  # noqa: PTH116
            state += [found.st_dev, found.st_ino, found.st_mtime_ns]
    return tuple(state)
