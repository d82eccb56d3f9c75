"""The host's side of starters: small processes that start trusted programs, in one environment.

There is one starter for each interpreter and environment. The host's own interpreter starts all
kinds of programs. A script in Python that has been started twice is run by a fork of its
interpreter's starter from then on, if that starter and the script are fit for it. Whatever is
unusual is started plainly.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.players.environment import WARM_STARTS
from arena.players.interrupts import defer_signals

WARM_AFTER = 2  # plain starts of a script, before it is run by a fork
MAX_FORKS = 200  # of one starter: they share the seed of the interpreter's hashes
MAX_STARTERS = 6  # of a process, that nobody uses
LOG = logging.getLogger(__name__)


class StarterPool:
    """The starters of this process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._starters: dict[tuple[str, tuple[tuple[str, str], ...]], ProgramStarter] = {}
        self._retired: list[ProgramStarter] = []
        self._unfit: set[str] = set()  # interpreters that are started plainly
        self._warned: set[str] = set()
        self._starts: Counter[tuple[str, ...]] = Counter()

    def start(
        self,
        words: Sequence[str],
        folder: str,
        environment: Mapping[str, str],
        streams: Sequence[int],
    ) -> StartedProgram:
        """Start a program; raise OSError."""
        if any("\0" in word for word in words):
            raise ValueError("embedded null byte")
        encoded, place = [os.fsencode(word) for word in words], os.fsencode(folder)
        with self._lock:
            started = None
            if self._is_frequent(words) and is_warm_script(words):
                started = self._fork(encoded, place, environment, streams)
            if started:
                return started
            starter = self._find(sys.executable, environment)
            try:
                process = starter.start(encoded, place, streams)
            except (StarterError, BrokenPipeError, ConnectionResetError):  # somebody has ended it
                starter = self._find(sys.executable, environment)
                process = starter.start(encoded, place, streams)
            return StartedProgram(starter, process, is_warm=False)

    def _fork(
        self,
        words: Sequence[bytes],
        folder: bytes,
        environment: Mapping[str, str],
        streams: Sequence[int],
    ) -> StartedProgram | None:
        """Run a script in a fork; return None if it is to be started plainly."""
        interpreter = os.fsdecode(words[0])
        try:
            starter = self._find(interpreter, environment)
        except StarterError:
            self._unfit.add(interpreter)
            return None
        if not starter.can_fork:
            self._unfit.add(interpreter)
            return None
        try:
            process = starter.fork(words, folder, streams)
        except (StarterError, BrokenPipeError, ConnectionResetError):
            self._warn(interpreter)
            return None
        return StartedProgram(starter, process, is_warm=True) if process else None

    def release(self, starter: ProgramStarter) -> None:
        """End a starter that is not used any more, after its last program."""
        with self._lock:
            if starter in self._retired and not starter.programs:
                self._retired.remove(starter)
                starter.close()

    def _warn(self, interpreter: str) -> None:
        """Say once that scripts of an interpreter have to be started plainly."""
        if interpreter not in self._warned:
            self._warned.add(interpreter)
            LOG.warning("%s: its warm process has ended; a script is started plainly", interpreter)

    def _is_frequent(self, words: Sequence[str]) -> bool:
        """Count a start of a script, and return whether it is started often."""
        script = tuple(words[:2])
        if len(words) == 1 or words[0] in self._unfit:
            return False
        self._starts[script] += 1
        return self._starts[script] > WARM_AFTER

    def _find(self, interpreter: str, environment: Mapping[str, str]) -> ProgramStarter:
        """Return the starter of an interpreter in an environment; raise OSError."""
        key = interpreter, tuple(sorted(environment.items()))
        if found := self._starters.pop(key, None):
            if (
                found.is_usable
                and found.forks < MAX_FORKS
                and found.state == read_interpreter_state(interpreter)
            ):
                self._starters[key] = found  # the last one used
                return found
            self._retire(found)
        found = self._starters[key] = ProgramStarter(interpreter, environment)
        idle = [key for key, starter in self._starters.items() if not starter.programs]
        for old in idle[: max(0, len(self._starters) - MAX_STARTERS)]:
            if self._starters[old] is not found:
                self._retire(self._starters.pop(old))
        return found

    def _retire(self, starter: ProgramStarter) -> None:
        if starter.programs and starter.is_usable:
            self._retired.append(starter)
        else:
            starter.close()

    def forget(self) -> None:
        """Forget all starters, in a forked child."""
        for starter in (*self._starters.values(), *self._retired):
            starter.forget()
        self.__init__()  # type: ignore[misc]  # a lock may be held

    def close(self) -> None:
        """End all starters."""
        for starter in (*self._starters.values(), *self._retired):
            starter.close()
        self._starters, self._retired = {}, []


class StartedProgram(NamedTuple):
    """A program that was started."""

    starter: ProgramStarter
    number: int
    is_warm: bool  # whether a fork of the starter runs its script


STARTER_POOL = StarterPool()
os.register_at_fork(after_in_child=STARTER_POOL.forget)
atexit.register(STARTER_POOL.close)


PYTHON_NAME = re.compile(r"python[0-9.]*")


def is_warm_script(words: Sequence[str]) -> bool:
    """Whether a command is `python SCRIPT ...`, and may be run by a fork.

    Warm starts may be turned off.
    """
    if os.environ.get(WARM_STARTS) == "0":
        return False
    interpreter, script = words[:2]
    name = os.path.basename(interpreter)  # noqa: PTH119  # this is hot
    if not PYTHON_NAME.fullmatch(name) or not os.path.isabs(interpreter):  # noqa: PTH117
        return False
    return is_elf_file(interpreter) and os.path.isabs(script) and os.path.isfile(script)  # noqa: PTH117


ELF = b"\x7fELF"


@cache
def is_elf_file(program: str) -> bool:
    """Whether a program is one of the machine's own, and no script that starts another."""
    try:
        with Path(program).open("rb") as file:
            return file.read(len(ELF)) == ELF
    except OSError:
        return False


FOLDER = Path(__file__).with_name("starter")
MAX_REPLY_BYTES = 1 << 18
SEND_BYTES = 1 << 20  # of a request
READY_TIMEOUT_SECONDS = 60.0  # until an interpreter runs, where the machine is very busy
SEPARATOR = b"\0"
YES = b"1"


class ProgramStarter:
    """A starter process, and the programs that it has started.

    Requests and answers are messages on a socket: fields with a NUL between them.
    """

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


class StarterError(OSError):
    """A starter that does not answer: it has been ended."""


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
