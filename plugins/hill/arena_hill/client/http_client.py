"""The HTTP client of a hill; it sends the token only to the given host."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from attrs import define, field, frozen

from arena import UserError
from arena.extend import describe_error, open_without_waiting, to_printable

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # its name, not a token
TIMEOUT_SECONDS = 60.0  # seconds without a word; a stream says something each 15
MAX_ANSWER_BYTES = 1 << 25  # bytes of an answer
API_ROOT = "/api/v1"
UNKNOWN_SERVER = "the server is not an arena, or its version is not compatible with this one"


class RequestRejectedError(UserError):
    """A request that a hill rejected; `status` is the HTTP status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@frozen
class HillAddress:
    """The address of a site, and perhaps of one of its hills."""

    scheme: str
    host: str
    port: int | None
    hill: str | None  #: None: the only one that it has

    @classmethod
    def parse(cls, url: str) -> HillAddress:
        """Parse the address of a hill's page, or of a site; raise UserError."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in ("http", "https"):
            raise UserError(f"{url}: not the address of a hill (such as https://HOST/hill/NAME)")
        if parts.scheme == "http" and not _is_local(host):
            raise UserError(f"{url}: use https; a token is sent without it only to this machine")
        match parts.path.strip("/").split("/"):
            case [""]:
                hill = None
            case ["hill", hill, *_]:
                pass
            case _:
                raise UserError(f"{url}: not a hill's page (https://HOST/hill/NAME)")
        return cls(parts.scheme, host, port, hill)


def read_token(file: Path | None) -> str:
    """Return the token from a file or the environment; raise UserError if there is none."""
    if file is None:
        key = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not key:
            raise UserError(f"you have no token: set {TOKEN_VARIABLE}, or name a --token-file")
    else:
        try:
            with open(file, encoding="utf-8", opener=open_without_waiting) as text:
                key = text.read(MAX_ANSWER_BYTES).strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise UserError(f"{file} cannot be read: {describe_error(problem)}") from None
    if not (key.isascii() and key.isprintable() and key and " " not in key):
        raise UserError(f'{file or TOKEN_VARIABLE}: not a token (tokens begin with "arena_")')
    return key


@define
class HillClient:
    """An HTTP client for a site, with a token."""

    address: HillAddress
    _token: str = field(repr=False)

    def get(self, path: str) -> Any:
        """Return the JSON at a path; raise UserError."""
        return self._request("GET", path)[1]

    def put(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        """Upload data of this media type; return the status and the JSON answer.

        Raises UserError, RequestRejectedError where it is not taken.
        """
        return self._request("PUT", path, body, {"Content-Type": kind})

    def stream_events(self, path: str) -> Iterator[Mapping[str, Any]]:
        """Yield the data of the events of a stream, until it ends or breaks; raise UserError."""
        connection = self._connect()
        try:
            with self._send(connection, "GET", path) as answer:
                if answer.status != 200:  # noqa: PLR2004  # no stream: it says why
                    _read_json(answer)
                while line := answer.readline(MAX_ANSWER_BYTES):
                    if line.startswith(b"data: {"):
                        yield json.loads(line.removeprefix(b"data: "))
        except (OSError, HTTPException, ValueError, RecursionError):
            return  # who follows asks anew
        finally:
            connection.close()

    def _request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        connection = self._connect()
        try:
            with self._send(connection, method, path, body, headers) as answer:
                return answer.status, _read_json(answer)
        except (OSError, HTTPException, ssl.SSLError) as problem:
            raise UserError(f"{self.address.host}: {describe_error(problem)}") from None
        finally:
            connection.close()

    def _connect(self) -> HTTPConnection:
        kind = HTTPSConnection if self.address.scheme == "https" else HTTPConnection
        return kind(self.address.host, self.address.port, timeout=TIMEOUT_SECONDS)

    def _send(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HTTPResponse:
        own = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why, all the same
            connection.request(method, API_ROOT + quote(path), body, {**own, **(headers or {})})
        return connection.getresponse()


def _read_json(answer: HTTPResponse) -> Any:
    """Return a response's JSON; raise RequestRejectedError, or UserError if it is not JSON."""
    try:
        said = json.loads(answer.read(MAX_ANSWER_BYTES))
    except (ValueError, RecursionError):
        said = None
    if 300 <= answer.status < 400:  # noqa: PLR2004  # it is not followed: the key would go along
        there = to_printable(answer.headers.get("Location", ""))
        raise UserError(f"this site has moved to {there}: use that address")
    if answer.status >= 400:  # noqa: PLR2004
        title = said.get("title") if isinstance(said, dict) else None
        raise RequestRejectedError(
            to_printable(str(title or f"{answer.status} {answer.reason}")), answer.status
        )
    if not isinstance(said, dict):
        raise UserError(UNKNOWN_SERVER)
    return said


def _is_local(host: str) -> bool:
    """Whether a host is this machine.

    >>> _is_local("localhost"), _is_local("127.0.0.2"), _is_local("::1"), _is_local("127.0.0.1.org")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
