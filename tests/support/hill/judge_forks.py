"""Judges of hills in forks of one process that has imported all they need: they start at once.

Run by itself, this file is the process that forks.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.support.command_forks import ONE_THREAD

JUDGE = """
import signal, sys
from functools import partial
from pathlib import Path
from threading import Event
from arena.tournament.store.connection import DatabaseAddress
from arena_hill import judge, trial
from arena_hill.db import judging_queue
from arena_hill.db.store import HillStore
from arena_hill.hill import Hill
from arena_hill.judge import JudgeDaemon
judge.POLL_SECONDS = judging_queue.MAX_PAUSE_SECONDS = 0.05
trial.check = partial(trial.check, quick=True)
home, stopping = Path(sys.argv[1]), Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
JudgeDaemon.of(
    Hill.load(home / "hill.toml"), HillStore.open(DatabaseAddress.of(home / "submissions.db")),
    trust_everybody=len(sys.argv) > 2,
).run(stopping)
"""
"""Runs a judge until SIGTERM comes; nothing waits long for its next turn, and checks are quick."""


class JudgeFork:
    """A judge that runs in a fork, until it is killed or asked to end."""

    def __init__(self, home: Path, variables: Mapping[str, str], words: Sequence[str]) -> None:
        self._forks = start_forks()
        assert self._forks.stdin
        assert self._forks.stdout
        print(json.dumps([str(home), dict(variables), *words]), file=self._forks.stdin, flush=True)
        self._pid = int(self._forks.stdout.readline())
        self._status: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal, if it has not ended."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def wait(self) -> int:
        """Return the exit status, or minus the number of a signal."""
        if self._status is None:
            assert self._forks.stdout
            self._status = os.waitstatus_to_exitcode(int(self._forks.stdout.readline()))
        return self._status

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)
        self.wait()


@cache
def start_forks() -> subprocess.Popen[str]:
    """Return the process of these tests that forks judges."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        env=os.environ | ONE_THREAD,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)  # it ends with its input
    return process


def serve() -> None:
    """Fork for each line, one after the other, and print its process and its status."""
    for line in sys.stdin:
        process = os.fork()
        if not process:
            run_judge(*json.loads(line))
        print(process, flush=True)  # noqa: T201
        print(os.waitpid(process, 0)[1], flush=True)  # noqa: T201


def run_judge(home: str, variables: Mapping[str, str], *words: str) -> None:
    """Run a judge as a new process would."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(2):
        os.dup2(nothing, standard)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = ["-c", home, *words]
    try:
        exec(JUDGE, {"__name__": "__main__"})  # noqa: S102
    except BaseException:  # noqa: BLE001  # as a process of its own ends
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    import arena_hill.judge  # noqa: F401

    serve()
