"""A hill that is held for real: `arena hill run` in a process of its own, spoken to over HTTP."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic
from typing import Any

from attrs import define, field

from arena.tournament import Tournament
from arena.tournament.models.records import Entry
from arena.tournament.store import Store
from arena_hill.db.authors import TokenScope
from arena_hill.db.hill_database import HillDatabase, open_database
from tests.support.programs import TIMEOUT, environment
from tests.support.requirements import require_sandbox

PARTS = ("coordinator", "judge", "web")
PORTS = range(20_000, 32_000)  # below those that systems give away by themselves
HERE = "127.0.0.1"
LOOK = 0.2  # seconds between two looks
END = 120.0  # seconds for one request
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
"""A hill whose matches are over at once."""


@define
class HeldHill:
    """A hill, and the process that holds it."""

    home: Path
    port: int
    mark: str = "hill"
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @classmethod
    def made(cls, home: Path, text: str = HILL, mark: str = "hill") -> HeldHill:
        """Write a hill's file into a folder."""
        home.mkdir(parents=True, exist_ok=True)
        (home / "hill.toml").write_text(text)
        return cls(home, free_port(), mark)

    @property
    def database(self) -> HillDatabase:
        """Return what the hill's own processes know of authors and submissions."""
        return open_database(Tournament.load(self.home / "hill.toml").spec)

    @contextmanager
    def held(self, number: int = signal.SIGINT) -> Iterator[HeldHill]:
        """Hold it, until it answers; end it by a signal, and see it end by that."""
        self.begin()
        try:
            self.until(lambda: self.get("/healthz")[0] == 200)
            yield self
        finally:
            status = self.end(number)
        assert status == (0 if number == signal.SIGINT else -number)

    def begin(self) -> None:
        """Begin to hold it; its log goes into the folder."""
        require_sandbox()
        words = ("hill", "run", "hill.toml", "--port", str(self.port))
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words],
                cwd=self.home, env=environment(self.mark), stdout=log, stderr=log,
            )  # fmt: skip

    def end(self, number: int = signal.SIGINT) -> int:
        """End it by a signal; return its exit status."""
        assert self._process
        self._process.send_signal(number)
        return self._process.wait(TIMEOUT)

    def pid(self, part: str) -> int | None:
        """Return the process of a part, while there is one."""
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

    def author(self, name: str, scope: TokenScope = TokenScope.SUBMIT) -> str:
        """Return a new key of an author, who may be new."""
        session = self.database.sign_in(name)
        visitor = self.database.identify(session) if session else None
        assert visitor
        return self.database.create_token(visitor.id, scope, "a test's")

    def ask(
        self, method: str, path: str, body: bytes | None = None,
        headers: Mapping[str, str] | None = None, source: str = HERE,
    ) -> tuple[int, bytes]:  # fmt: skip
        """Return the status and body of an answer; raise OSError or HTTPException.

        `source` is the address of who asks: all that begin with 127 are this machine's.
        """
        connection = HTTPConnection(HERE, self.port, timeout=END, source_address=(source, 0))
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path: str, key: str = "") -> tuple[int, bytes]:
        """Return the status and body of a page; 0 and nothing while nobody answers."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            return self.ask("GET", path, headers=headers)
        except (OSError, HTTPException):
            return 0, b""

    def send(
        self, key: str, bot: str, archive: bytes, source: str = HERE
    ) -> tuple[int, dict[str, Any]]:
        """Send a bot, again and again until somebody answers, as an author would."""
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/zip"}
        path = f"/api/v1/hills/hill/bots/{bot}"
        until = monotonic() + TIMEOUT
        while True:
            try:
                status, body = self.ask("PUT", path, archive, headers, source)
            except (OSError, HTTPException):
                assert monotonic() < until, "nobody has answered"
                Event().wait(LOOK)
            else:
                return status, json.loads(body or b"{}")

    def entries(self) -> tuple[Entry, ...]:
        """Return who has entered, in every version."""
        with Store.open(self.home / "hill.db", write=False) as store:
            return store.list_entries()

    def until(self, holds: Callable[[], object]) -> None:
        """Look again and again until something holds."""
        until = monotonic() + TIMEOUT
        while not holds():
            assert self._process
            assert self._process.poll() is None, (self.home / "log").read_text()
            assert monotonic() < until, "it never came to that"
            Event().wait(LOOK)

    def kill(self, part: str) -> None:
        """Kill a part, as soon as there is one."""
        self.until(lambda: self.pid(part))
        if pid := self.pid(part):
            os.kill(pid, signal.SIGKILL)
            self.until(lambda: self.pid(part) not in (None, pid))


def free_port() -> int:
    """Return a port on which nobody listens, and which no system gives away by itself."""
    for port in Random().sample(PORTS, len(PORTS)):
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are taken")
