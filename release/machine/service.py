"""The hill that runs in the machine as a service, spoken to over HTTP through ssh."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlencode

from attrs import frozen

from arena_hill.bot_archive import pack_bot
from release.machine.guest import Guest, find_free_port

PORT = 8642
HOME = "/srv/hill"
ARENA = "/srv/arena/bin/arena"
NAME = "arena-hill"
REQUEST_SECONDS = 120.0
WAIT_SECONDS = 1800.0  # the machine may be emulated, which is slow, and this one busy
POLL_SECONDS = 2.0
TOKEN = re.compile(r"arena_[\w-]{20,}")
ACCEPTED = (200, 202)


Result = TypeVar("Result")


@frozen
class HillAccess:
    """A service of the machine, and the port here that leads to its pages."""

    guest: Guest
    port: int

    @classmethod
    @contextmanager
    def reach(cls, guest: Guest) -> Iterator[HillAccess]:
        """Forward a port to the service while this lasts."""
        port = find_free_port()
        words = guest.ssh("-N", "-L", f"127.0.0.1:{port}:127.0.0.1:{PORT}", "root@machine")
        with subprocess.Popen(words, stdin=subprocess.DEVNULL) as forwarding:
            try:
                yield cls(guest, port)
            finally:
                forwarding.terminate()

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of an answer; status 0 if nobody answers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        host = {"Host": f"localhost:{PORT}", "Origin": f"http://localhost:{PORT}"}
        with suppress(OSError, HTTPException):
            connection.request(method, path, body or None, {**host, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        return 0, {}, b""

    def read_json(self, path: str, token: str = "") -> Any:
        """Return a JSON answer, once there is one."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        body = self.wait(lambda: self._read(path, headers), f"an answer to {path}")
        return json.loads(body)

    def read_lines(self, path: str) -> list[Any]:
        """Return an answer of one JSON object a line."""
        body: bytes = self.wait(lambda: self._read(path, {}), f"an answer to {path}")
        return [json.loads(line) for line in body.splitlines() if line.strip()]

    def _read(self, path: str, headers: Mapping[str, str]) -> bytes:
        status, _, body = self.ask("GET", path, headers=headers)
        return body if status == 200 else b""

    def is_healthy(self) -> bool:
        """Whether `/healthz` says so."""
        return self.ask("GET", "/healthz")[0] == 200

    def count_matches(self) -> int:
        """Return how many matches are stored."""
        return int(self.read_json("/api/v1/hills/hill/standings")["stored"])

    def join(self, author: str) -> str:
        """Take up an invitation as a browser does; return a new token to submit with."""
        invited = self.guest.check(f"sudo -u arena {ARENA} hill invite {HOME}/hill.toml {author}")
        path = re.sub(r"^https?://[^/]*", "", invited.strip())
        _, headers, _ = self.ask("POST", path, headers=_form(author))
        cookie = headers["set-cookie"].partition(";")[0]
        form = urlencode({"label": "tests", "scope": "submit"}).encode()
        _, _, page = self.ask(
            "POST", "/hill/hill/tokens", form, {**_form(author), "Cookie": cookie}
        )
        token = TOKEN.search(page.decode())
        assert token, page
        return token[0]

    def submit(self, author: str, token: str, bot: str, folder: Path) -> int:
        """Upload a bot's folder; return the number of the submission."""
        status, _, body = self.ask(
            "PUT", f"/api/v1/hills/hill/bots/{bot}", pack_bot(folder),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/zip",
             "X-Forwarded-For": _address(author)},
        )  # fmt: skip
        assert status in ACCEPTED, (bot, status, body)
        return int(json.loads(body)["submission"])

    def follow(self, token: str, submission: int) -> tuple[str, str]:
        """Return what became of a submission, and why, once that is known."""
        path = f"/api/v1/submissions/{submission}"

        def look() -> tuple[str, str] | None:
            found = self.read_json(path, token)
            return (found["state"], found["why"]) if found["over"] else None

        state, why = self.wait(look, f"the end of submission {submission}")
        return str(state), str(why)

    def wait(self, look: Callable[[], Result | None], what: str) -> Result:
        """Look again and again; return the first result that is true."""
        deadline = monotonic() + WAIT_SECONDS
        while not (found := look()):
            if monotonic() > deadline:
                raise AssertionError(f"{what} never came")
            Event().wait(POLL_SECONDS)
        return found


def _form(author: str) -> Mapping[str, str]:
    """Return the headers of a form that an author sends, from an address of its own."""
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Forwarded-For": _address(author),
    }


def _address(author: str) -> str:
    return f"10.9.0.{sum(author.encode()) % 250 + 1}"
