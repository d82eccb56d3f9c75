"""The host's side of starters: small processes that start trusted programs.

There is one for each interpreter and environment. The host's own interpreter starts all kinds of
programs; a script in Python that has been started twice is run by a fork of its interpreter's
starter from then on, if that starter and the script are fit for it. Whatever is unusual is
started plainly.
"""

from __future__ import annotations

import atexit
import marshal
import os
import re
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.players.environment_variables import WARM_STARTS
from arena.players.interrupts import defer_signals

SCRIPT = Path(__file__).with_name("starter") / "run.py"
WARM_AFTER = 2  # plain starts of a script, before it is run by a fork
MAX_FORKS = 200  # of one starter: they share the seed of Python's hashes
MAX_STARTERS = 6  # of a process, that nobody uses
MAX_REPLY_BYTES = 1 << 18
SEND_BYTES = 1 << 20  # of a request
READY_TIMEOUT_SECONDS = 60.0  # until an interpreter runs, where the machine is very busy
MARSHAL_VERSION = 2  # which all versions of Python read
PYTHON_NAME = re.compile(r"python[0-9.]*")
ELF = b"\x7fELF"


class StarterError(OSError):
    """A starter that does not answer: it has been ended."""


class ProgramStarter:
    """A starter process, and the programs that it has started."""

    def __init__(self, interpreter: str, environment: Mapping[str, str]) -> None:
        """Start it; raise OSError."""
        self._lock = threading.Lock()
        self._number = 0
        self.is_usable = True
        self.forks = 0
        self.programs: set[int] = set()
        self.state = read_interpreter_state(interpreter)
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipe = subprocess.PIPE
        with there:
            self._process = subprocess.Popen(
                [interpreter, str(SCRIPT), str(there.fileno())], env=environment, cwd="/",
                pass_fds=[there.fileno()], stdin=pipe, stdout=pipe, stderr=pipe,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        self._socket.settimeout(READY_TIMEOUT_SECONDS)
        try:
            self.can_fork, can_start = self._receive(0)
        except OSError:
            can_start = False
        self._socket.settimeout(None)
        if not can_start:
            self.close()
            raise StarterError(f"{interpreter}: it cannot start other programs")

    def start(self, words: Sequence[bytes], folder: bytes, streams: Sequence[int]) -> int:
        """Start a program with these streams; return its number; raise OSError."""
        process, problem, _ = self._ask("start", [*words], folder, streams=streams)
        if problem:
            raise OSError(problem, os.strerror(problem))
        self.programs.add(process)
        return int(process)

    def fork(self, words: Sequence[bytes], folder: bytes, streams: Sequence[int]) -> int:
        """Run a script in a fork; return its number, or 0 if it is to be started plainly."""
        (process,) = self._ask("warm", [*words], folder, streams=streams)
        if process:
            self.forks += 1
            self.programs.add(process)
        return int(process)

    def find_leftovers(self, ended: Sequence[int]) -> list[tuple[int, str]]:
        """Return the processes that ended programs have left behind, with their start times."""
        (found,) = self._ask("find", [*ended])
        return list(found)

    def reap(self, process: int) -> int | None:
        """Return the exit status of a program that has ended, or None if it is not known."""
        self.programs.discard(process)
        (status,) = self._ask("reap", process)
        return None if status is None else int(status)

    def _ask(self, *request: Any, streams: Sequence[int] = ()) -> tuple[Any, ...]:
        with self._lock, defer_signals():
            self._number += 1
            message = marshal.dumps((self._number, *request), MARSHAL_VERSION)
            try:
                if not self.is_usable:
                    raise StarterError("the process that starts programs has ended")
                socket.send_fds(self._socket, [message], [*streams])
                return self._receive(self._number)
            except OSError:
                self.is_usable = False
                raise

    def _receive(self, number: int) -> tuple[Any, ...]:
        said = self._socket.recv(MAX_REPLY_BYTES)
        if not said:
            raise StarterError("the process that starts programs has ended")
        answered, *reply = marshal.loads(said)  # noqa: S302  # it is the host's own process
        if answered != number:
            raise StarterError("the process that starts programs is out of step")
        return tuple(reply)

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


def read_interpreter_state(interpreter: str) -> tuple[object, ...]:
    """Return numbers that change when an interpreter or its virtual environment changes."""
    state: list[object] = []
    for path in (Path(interpreter), Path(interpreter).parent.parent / "pyvenv.cfg"):
        with suppress(OSError):
            found = path.stat()
            state += [found.st_dev, found.st_ino, found.st_mtime_ns]
    return tuple(state)


class StartedProgram(NamedTuple):
    """A program that was started."""

    starter: ProgramStarter
    number: int
    is_warm: bool  # whether a fork of the starter runs its script


class StarterPool:
    """The starters of this process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._starters: dict[tuple[str, tuple[tuple[str, str], ...]], ProgramStarter] = {}
        self._retired: list[ProgramStarter] = []
        self._unfit: set[str] = set()  # interpreters that are started plainly
        self._starts: Counter[tuple[str, str]] = Counter()

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
            if self._is_frequent(words) and is_warm_script(words):
                with suppress(StarterError, BrokenPipeError, ConnectionResetError):
                    starter = self._find(words[0], environment)
                    if starter.can_fork and (process := starter.fork(encoded, place, streams)):
                        return StartedProgram(starter, process, is_warm=True)
                    if not starter.can_fork:
                        self._unfit.add(words[0])
            starter = self._find(sys.executable, environment)
            try:
                process = starter.start(encoded, place, streams)
            except (StarterError, BrokenPipeError, ConnectionResetError):  # somebody has ended it
                starter = self._find(sys.executable, environment)
                process = starter.start(encoded, place, streams)
            return StartedProgram(starter, process, is_warm=False)

    def release(self, starter: ProgramStarter) -> None:
        """End a starter that is not used any more, after its last program."""
        with self._lock:
            if starter in self._retired and not starter.programs:
                self._retired.remove(starter)
                starter.close()

    def _is_frequent(self, words: Sequence[str]) -> bool:
        """Count a start of a script, and return whether it is started often."""
        if len(words) < 2 or words[0] in self._unfit:  # noqa: PLR2004  # an interpreter, a script
            return False
        self._starts[words[0], words[1]] += 1
        return self._starts[words[0], words[1]] > WARM_AFTER

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


STARTER_POOL = StarterPool()
os.register_at_fork(after_in_child=STARTER_POOL.forget)
atexit.register(STARTER_POOL.close)


def is_warm_script(words: Sequence[str]) -> bool:
    """Whether a command is `PYTHON SCRIPT ARGUMENT...`, and warm starts are not turned off."""
    if os.environ.get(WARM_STARTS) == "0":
        return False
    interpreter, script = Path(words[0]), words[1]
    if not PYTHON_NAME.fullmatch(interpreter.name) or not interpreter.is_absolute():
        return False
    try:
        with interpreter.open("rb") as file:
            return (
                file.read(len(ELF)) == ELF and Path(script).is_absolute() and os.path.isfile(script)
            )
    except OSError:
        return False
