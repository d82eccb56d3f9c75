"""A hill as a program speaks to it over HTTP; the key goes to the host that was named, only."""

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

from arena.rules import UserError, in_words
from arena.wires import at_once, printable

ENVIRONMENT = "ARENA_TOKEN"
TIMEOUT = 60.0  # seconds without a word; a stream says something each 15
MOST = 1 << 25  # bytes of an answer
ROOT = "/api/v1"
STRANGE = "the server there is not an arena, or one that this version does not understand"


class Refused(UserError):
    """What a hill did not take; `status` is HTTP's."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@frozen
class Place:
    """A site, and perhaps one of its hills."""

    scheme: str
    host: str
    port: int | None
    hill: str | None  #: None: the only one that it has

    @classmethod
    def of(cls, url: str) -> Place:
        """Read the address of a hill's page, or of a site; raise UserError."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in ("http", "https"):
            raise UserError(f"{url}: not the address of a hill (such as https://HOST/hill/NAME)")
        if parts.scheme == "http" and not _is_here(host):
            raise UserError(f"{url}: use https; a token is sent without it only to this machine")
        match parts.path.strip("/").split("/"):
            case [""]:
                hill = None
            case ["hill", hill, *_]:
                pass
            case _:
                raise UserError(f"{url}: not a hill's page (https://HOST/hill/NAME)")
        return cls(parts.scheme, host, port, hill)


def key_from(file: Path | None) -> str:
    """Return the key that a file or the environment holds; raise UserError where none does."""
    if file is None:
        key = os.environ.get(ENVIRONMENT, "").strip()
        if not key:
            raise UserError(f"you have no token: set {ENVIRONMENT}, or name a --token-file")
    else:
        try:
            with open(file, encoding="utf-8", opener=at_once) as text:
                key = text.read(MOST).strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise UserError(f"{file} cannot be read: {in_words(problem)}") from None
    if not (key.isascii() and key.isprintable() and key and " " not in key):
        raise UserError(f'{file or ENVIRONMENT}: not a token (tokens begin with "arena_")')
    return key


@define
class Client:
    """Speaks to a site with a key."""

    place: Place
    _key: str = field(repr=False)

    def get(self, path: str) -> Any:
        """Return what is there; raise UserError."""
        return self._ask("GET", path)[1]

    def put(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        """Send something of this kind; return the status and what was said of it.

        Raises UserError, Refused where it is not taken.
        """
        return self._ask("PUT", path, body, {"Content-Type": kind})

    def events(self, path: str) -> Iterator[Mapping[str, Any]]:
        """Yield the data of the events of a stream, until it ends or breaks; raise UserError."""
        connection = self._connection()
        try:
            with self._answer(connection, "GET", path) as answer:
                if answer.status != 200:  # noqa: PLR2004  # no stream: it says why
                    _read(answer)
                while line := answer.readline(MOST):
                    if line.startswith(b"data: {"):
                        yield json.loads(line.removeprefix(b"data: "))
        except (OSError, HTTPException, ValueError, RecursionError):
            return  # who follows asks anew
        finally:
            connection.close()

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        connection = self._connection()
        try:
            with self._answer(connection, method, path, body, headers) as answer:
                return answer.status, _read(answer)
        except (OSError, HTTPException, ssl.SSLError) as problem:
            raise UserError(f"{self.place.host}: {in_words(problem)}") from None
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self.place.scheme == "https" else HTTPConnection
        return kind(self.place.host, self.place.port, timeout=TIMEOUT)

    def _answer(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HTTPResponse:
        own = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why, all the same
            connection.request(method, ROOT + quote(path), body, {**own, **(headers or {})})
        return connection.getresponse()


def _read(answer: HTTPResponse) -> Any:
    """Return an answer's JSON; raise Refused where it is a refusal, UserError where it is none."""
    try:
        said = json.loads(answer.read(MOST))
    except (ValueError, RecursionError):
        said = None
    if 300 <= answer.status < 400:  # noqa: PLR2004  # it is not followed: the key would go along
        there = printable(answer.headers.get("Location", ""))
        raise UserError(f"this site has moved to {there}: use that address")
    if answer.status >= 400:  # noqa: PLR2004
        title = said.get("title") if isinstance(said, dict) else None
        raise Refused(printable(str(title or f"{answer.status} {answer.reason}")), answer.status)
    if not isinstance(said, dict):
        raise UserError(STRANGE)
    return said


def _is_here(host: str) -> bool:
    """Is it this machine?

    >>> _is_here("localhost"), _is_here("127.0.0.2"), _is_here("::1"), _is_here("127.0.0.1.org")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
