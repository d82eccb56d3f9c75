"""The starters of a host: one for each interpreter and environment.

The host's own interpreter starts all kinds of programs. A script in Python that has been started
twice is run by a fork of its interpreter's starter from then on, if that starter and the script
are fit for it. Whatever is unusual is started plainly.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.players.environment_variables import WARM_STARTS
from arena.players.program_starter import ProgramStarter, StarterError, read_interpreter_state

WARM_AFTER = 2  # plain starts of a script, before it is run by a fork
MAX_FORKS = 200  # of one starter: they share the seed of the interpreter's hashes
MAX_STARTERS = 6  # of a process, that nobody uses
PYTHON_NAME = re.compile(r"python[0-9.]*")
ELF = b"\x7fELF"
LOG = logging.getLogger(__name__)


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


STARTER_POOL = StarterPool()
os.register_at_fork(after_in_child=STARTER_POOL.forget)
atexit.register(STARTER_POOL.close)


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


@cache
def is_elf_file(program: str) -> bool:
    """Whether a program is one of the machine's own, and no script that starts another."""
    try:
        with Path(program).open("rb") as file:
            return file.read(len(ELF)) == ELF
    except OSError:
        return False
