"""Hills written into a folder, and bots that are sent to them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest
from attrs import define, field

from arena.check import check
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.store.connection import DatabaseAddress
from arena_hill import judge as daemon
from arena_hill import trial
from arena_hill.bot_archive import pack_bot
from arena_hill.db.accounts import Principal
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission, SubmissionResults
from arena_hill.hill import Hill
from arena_hill.judge import JudgeDaemon
from tests.support.hill.hill_access import sign_in
from tests.support.hill.judge_forks import JUDGE, JudgeFork
from tests.support.hill.submission_terms import build_terms
from tests.support.programs import TIMEOUT, environment
from tests.support.requirements import require_sandbox

FILE = """
game = "gops"
[options]
cards = 3
[hill]
"""

MATCH = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
"""Bids the prize's own value."""

C = """
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[512];
    while (fgets(line, sizeof line, stdin))
        if (!strncmp(line, "Competition", 11)) {
            fputs(strrchr(line, ' ') + 1, stdout);
            fflush(stdout);
        }
    return 0;
}
"""
"""The same in C."""

WAITS = """
import os, time
while not os.path.exists({go!r}):
    time.sleep(0.05)
"""
"""Waits for a file."""

LOOK_SECONDS = 0.05  # between two looks of a judge in a test: each is a step of the test
PLAIN = f"{sys.executable} -I -S "
"""Begins the command line of a program that nothing contains, and that starts at once."""


def bot(folder: Path, name: str = "mine", code: str = MATCH, **more: str) -> Path:
    """Write a folder with a bot; `more` stands in its bot.toml."""
    home = folder / name
    home.mkdir(parents=True)
    lines = {"name": name, "command": "python3 -I -S bot.py", **more}
    (home / "bot.toml").write_text("".join(f"{key} = '{text}'\n" for key, text in lines.items()))
    (home / "bot.py").write_text(code)
    return home


@define
class HillFolder:
    """A hill, and what is sent to it."""

    hill: Hill
    store: HillStore
    authors: dict[str, Principal] = field(factory=dict)

    @classmethod
    def create(cls, home: Path, text: str = FILE, database: str | Path | None = None) -> HillFolder:
        """Write a hill's file, create its database, and begin nothing."""
        path = home / "hill.toml"
        path.write_text(text)
        hill = Hill.load(path)
        hill.uploads_folder.mkdir(parents=True)
        return cls(hill, HillStore.open(DatabaseAddress.of(database or home / "submissions.db")))

    @property
    def spec(self) -> TournamentSpec:
        """The settings of its tournament."""
        return self.hill.spec

    @property
    def uploads(self) -> Path:
        """The folder of its uploads."""
        return self.hill.uploads_folder

    def author(self, name: str) -> Principal:
        """Return an author, who is new perhaps."""
        if name not in self.authors:
            self.authors[name] = sign_in(self.store, name)
        return self.authors[name]

    def send(self, sent: Path | bytes, name: str = "mine", author: str = "ann") -> Submission:
        """Send a bot's folder, or an archive, as a bot of this name."""
        data = pack_bot(sent) if isinstance(sent, Path) else sent
        digest = sha256(data).hexdigest()
        (self.uploads / f"{digest}.zip").write_bytes(data)
        terms = build_terms(self.hill.config)
        return (
            self.store.act_as(self.author(author)).submit(name, digest, len(data), terms).submission
        )

    def now(self, submission: Submission) -> Submission:
        """Return what a submission has become."""
        found = self.store.submissions.find(submission.id)
        assert found
        return found

    def results(self, submission: Submission) -> SubmissionResults:
        """Return what is known of a submission from its build and its check."""
        return self.store.submissions.load_results(submission.id)


def drive(judge: JudgeDaemon, steps: Iterator[None]) -> None:
    """Run a judge in this thread; at each of its looks take a step, until there is none left.

    It plays one match for each number of players where it checks a bot.
    """
    if judge.judge.sandbox:
        require_sandbox()
    stopping = Event()

    def beat() -> None:
        if next(steps, stopping) is stopping:
            stopping.set()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(daemon, "POLL_SECONDS", LOOK_SECONDS)
        patched.setattr(trial, "check", partial(check, quick=True))
        judge.run(stopping, beat)


def step_until(holds: Callable[[], object]) -> Iterator[None]:
    """Take steps until something holds."""
    end = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        yield


@contextmanager
def judge(home: Path, mark: str, *trusting: str) -> Iterator[JudgeFork]:
    """Run the judge of a hill in a process of its own, which is killed at the end."""
    if not trusting:
        require_sandbox()
    process = JudgeFork(home, environment(mark), trusting)
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def judge_as_another(home: Path, become: Sequence[str]) -> Iterator[None]:
    """Run the judge of a hill that trusts everybody as another user, for a block."""
    with subprocess.Popen([*become, sys.executable, "-c", JUDGE, str(home), "trusting"]) as process:
        try:
            yield
        finally:
            process.kill()


def await_(holds: Callable[[], object]) -> None:
    """Look again and again until something holds."""
    until = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(LOOK_SECONDS)
