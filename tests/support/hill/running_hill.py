"""A running hill: `arena hill run` in a process of its own, used over HTTP."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic
from typing import Any

from attrs import define, field

from arena.tournament.entries import Entry
from arena.tournament.store import Store
from arena_hill.db.accounts import TokenScope
from arena_hill.db.store import HillStore
from arena_hill.hill import Hill
from tests.support.command import ARENA
from tests.support.programs import TIMEOUT, environment
from tests.support.requirements import require_sandbox

PARTS = ("coordinator", "judge", "web")
PORTS = range(20_000, 32_000)  # below the ports that systems assign by themselves
LOCALHOST = "127.0.0.1"
POLL_SECONDS = 0.2  # between two attempts
REQUEST_SECONDS = 120.0  # at most, for one request
HILL = """
game = "gops"
format = "ladder"
workers = 1
[options]
cards = 3
[hill]
share = 4
[[entrant]]
bot = "match"
[[entrant]]
bot = "random"
"""
"""The file of a hill with short matches."""


@define
class RunningHill:
    """A hill and its process."""

    home: Path
    port: int
    mark: str = "hill"
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @classmethod
    def create(cls, home: Path, text: str = HILL, mark: str = "hill") -> RunningHill:
        """Write a hill's file into a folder."""
        home.mkdir(parents=True, exist_ok=True)
        (home / "hill.toml").write_text(text)
        return cls(home, find_free_port(), mark)

    @property
    def store(self) -> HillStore:
        """Open the store of the hill's authors and submissions."""
        return HillStore.of(Hill.load(self.home / "hill.toml"))

    @contextmanager
    def run(self, number: int = signal.SIGINT) -> Iterator[RunningHill]:
        """Run the hill for a block, from its first answer on; stop it with a signal and check its status."""
        self.start()
        try:
            self.wait_until(lambda: self.get("/healthz")[0] == 200)
            yield self
        finally:
            status = self.stop(number)
        assert status == (0 if number == signal.SIGINT else -number)

    def start(self) -> None:
        """Start the process; its log goes into the folder."""
        require_sandbox()
        words = ("hill", "run", "hill.toml", "--port", str(self.port))
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [ARENA, *words], cwd=self.home, env=environment(self.mark), stdout=log, stderr=log,
            )  # fmt: skip

    def stop(self, number: int = signal.SIGINT) -> int:
        """Stop the process with a signal; return its exit status."""
        assert self._process
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait until the process has ended; return its exit status."""
        assert self._process
        return self._process.wait(TIMEOUT)

    def find_process(self, part: str) -> int | None:
        """Return the process id of a part of the hill, or None if it does not run."""
        assert self._process
        list_children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for child in list_children.read_text().split():
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if part.encode() in words:
                return int(child)
        return None

    def create_author_key(self, name: str, scope: TokenScope = TokenScope.SUBMIT) -> str:
        """Create an API key of an author, who is signed up if necessary."""
        session = self.store.accounts.sign_in(name)
        visitor = self.store.accounts.identify(session) if session else None
        assert visitor
        return self.store.accounts.create_token(visitor, scope, "a test's")

    def request(
        self, method: str, path: str, body: bytes | None = None,
        headers: Mapping[str, str] | None = None, source: str = LOCALHOST,
    ) -> tuple[int, bytes]:  # fmt: skip
        """Send a request; return the status and body of the response, or raise OSError or HTTPException.

        `source` is the client's address; all addresses that begin with 127 belong to this machine.
        """
        connection = HTTPConnection(
            LOCALHOST, self.port, timeout=REQUEST_SECONDS, source_address=(source, 0)
        )
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path: str, key: str = "") -> tuple[int, bytes]:
        """Return the status and body of a page, or 0 and no bytes if the hill does not answer."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            return self.request("GET", path, headers=headers)
        except (OSError, HTTPException):
            return 0, b""

    def submit(
        self, key: str, bot: str, archive: bytes, source: str = LOCALHOST
    ) -> tuple[int, dict[str, Any]]:
        """Submit a bot; repeat the request until the hill answers."""
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/zip"}
        path = f"/api/v1/hills/hill/bots/{bot}"
        until = monotonic() + TIMEOUT
        while True:
            try:
                status, body = self.request("PUT", path, archive, headers, source)
            except (OSError, HTTPException):
                assert monotonic() < until, "the hill did not answer"
                Event().wait(POLL_SECONDS)
            else:
                return status, json.loads(body or b"{}")

    def list_entries(self) -> tuple[Entry, ...]:
        """Return all versions of all entrants."""
        with Store.open(self.home / "hill.db", write=False) as store:
            return store.entries.list_all()

    def wait_until(self, holds: Callable[[], object]) -> None:
        """Wait until a condition holds while the hill runs."""
        until = monotonic() + TIMEOUT
        while not holds():
            assert self._process
            assert self._process.poll() is None, (self.home / "log").read_text()
            assert monotonic() < until, "the condition did not hold in time"
            Event().wait(POLL_SECONDS)

    def kill(self, part: str) -> None:
        """Kill a part of the hill, and wait until it has been started again."""
        self.wait_until(lambda: self.find_process(part))
        if pid := self.find_process(part):
            os.kill(pid, signal.SIGKILL)
            self.wait_until(lambda: self.find_process(part) not in (None, pid))


def find_free_port() -> int:
    """Return a free port that systems do not assign by themselves."""
    for port in Random().sample(PORTS, len(PORTS)):
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are taken")
