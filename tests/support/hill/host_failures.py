"""A host that fails while a bot is judged: a database that is gone, a disk that is full.

`python -m tests.support.hill.host_failures FAULT FOLDER` has one bot judged meanwhile, and prints the states that
its submission was in and what its author was told. It mounts file systems, so it runs below
`unshare --mount`.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from structlog.testing import capture_logs

from arena.tournament.store import connection as store_connection
from arena_hill.db import judging_queue
from arena_hill.db.submissions import Submission
from arena_hill.judge import JudgeDaemon
from arena_hill.submission_states import OPEN_STATES, SubmissionState
from tests.support.hill.hill_folders import (
    FILE,
    MATCH,
    PLAIN,
    WAITS,
    HillFolder,
    bot,
    drive,
    step_until,
)

BWRAP = "/usr/bin/bwrap"
FAILED = "a submission could not be judged"
NOTHING = "judging paused"
TRUSTED = f'sandbox = "trusted"\n{FILE}'
WRITES = """
import sys
try:
    open('made', 'wb').write(bytes(99999))
except OSError:
    sys.exit(3)
"""
"""What a program does that fails on a full disk, without a word."""


Logs = Sequence[Mapping[str, Any]]
Fault = Callable[[], AbstractContextManager[object]]
"""A fault of the host, which lasts as long as a block."""


@define
class Scenario:
    """A bot that is judged while the host fails, and what is seen of that."""

    hill: HillFolder
    home: Path
    sent: Submission = field(init=False)
    told: set[str] = field(factory=set)  # what its author was told
    logged: str = ""

    @property
    def now(self) -> Submission:
        """What the submission has become."""
        return self.hill.now(self.sent)

    def judge(self, fault: Fault) -> Submission:
        """Have a bot judged, with a fault from its build on; return what became of it."""
        go = self.home / "go"
        home = bot(
            self.home, code=WRITES + MATCH, command=PLAIN + "bot.py", build=PLAIN + "wait.py"
        )
        (home / "wait.py").write_text(WAITS.format(go=str(go)) + WRITES)
        self.sent = self.hill.send(home)

        def fails(logs: Logs) -> Iterator[None]:
            yield from step_until(lambda: self.now.state is SubmissionState.BUILDING)
            with fault():
                go.touch()
                yield from step_until(lambda: any(entry["event"] == FAILED for entry in logs))
            yield from self.is_over()

        hill = self.hill
        judge = JudgeDaemon.of(hill.hill, hill.store, trust_everybody=True, retry_seconds=0.1)
        self.drive(judge, fails)
        return self.now

    def drive(self, judge: JudgeDaemon, steps: Callable[[Logs], Iterator[None]]) -> None:
        """Run a judge by steps, which are given what it logs; nothing waits long for its next turn."""
        with capture_logs() as logs, pytest.MonkeyPatch.context() as patched:
            patched.setattr(judging_queue, "MAX_PAUSE_SECONDS", 0.1)
            drive(judge, steps(logs))
        self.logged = f"{logs}"

    def is_over(self) -> Iterator[None]:
        """Take steps until nothing more comes of it, and look at it at each."""
        while self.now.state in OPEN_STATES:
            self.told.add(self.now.why)
            yield


@contextmanager
def locked(path: Path, mode: str = "EXCLUSIVE") -> Iterator[None]:
    """Have somebody else write to an SQLite file for long; if IMMEDIATE, it can be read meanwhile."""
    with pytest.MonkeyPatch.context() as patched, closing(sqlite3.connect(path)) as other:
        other.execute(f"BEGIN {mode}")
        patched.setattr(store_connection, "SERVER_TIMEOUT_SECONDS", 0.1)  # until who waits gives up
        yield


@contextmanager
def without_sandbox() -> Iterator[None]:
    """Have a program that always fails in the place of the one that makes the sandbox."""
    subprocess.run(["mount", "--bind", "/bin/false", BWRAP], check=True)
    yield
    subprocess.run(["umount", BWRAP], check=True)


def main(home: Path) -> None:
    """Have a bot judged while the sandbox that was there before does not stand; say what was seen."""
    hill = HillFolder.create(home, f'sandbox = "namespaces"\n{FILE}')
    scenario = Scenario(hill, home)

    def fails(logs: Logs) -> Iterator[None]:
        with without_sandbox():
            scenario.sent = hill.send(bot(home))
            yield from step_until(lambda: any(entry["event"] == NOTHING for entry in logs))
        yield from scenario.is_over()

    scenario.drive(JudgeDaemon.of(hill.hill, hill.store, retry_seconds=0.1), fails)
    print(scenario.now.state, scenario.now.tries)  # noqa: T201
    print(*scenario.told, sep="\n")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
