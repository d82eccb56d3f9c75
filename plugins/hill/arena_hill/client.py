"""The HTTP client of a hill, for `arena submit`: it uploads a bot and follows the submission.

It needs no server. The token is sent to the given host alone, and what a site says is untrusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from ipaddress import ip_address
from pathlib import Path
from time import sleep
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from attrs import AttrsInstance, define, field, frozen

from arena import UserError
from arena.files import open_without_waiting
from arena.rules import describe_error
from arena.wires import ValidationError, to_printable
from arena_hill.api_format import (
    API_ROOT,
    ZIP_TYPE,
    HillDocument,
    HillsDocument,
    SubmissionDocument,
    SubmissionStatus,
    UploadAnswer,
    read_document,
)

D = TypeVar("D", bound=AttrsInstance)

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # its name, not a token
TIMEOUT_SECONDS = 60.0  # without a word; a stream says something every 15 s
MAX_ANSWER_BYTES = 1 << 25  # bytes of an answer
UNKNOWN_SERVER_MESSAGE = (
    "the server is not an arena, or its version is not compatible with this one"
)

ACCEPTED_STATUS = 202
TRANSIENT_STATUSES = (429, 500, 502, 503, 504)  # of a site that restarts, or has much to do
RETRY_SECONDS = 3.0  # until it is asked again when a stream has ended
MAX_RETRY_SECONDS = 30.0  # the same, after some tries: the wait doubles
MAX_SILENT_TRIES = 12  # without a word, until it is given up: about five minutes
FAREWELL = b"data: {}"  # of a server that stops


class RequestRejectedError(UserError):
    """A request that a hill rejected; `status` is the HTTP status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class UnreachableError(UserError):
    """A site that could not be reached, or did not answer to the end."""


@frozen
class HillAddress:
    """The address of a hill, or of the site that serves it."""

    scheme: str
    host: str
    port: int | None
    hill: str | None  #: the name of the hill; None: whichever the site serves

    @classmethod
    def parse(cls, url: str) -> HillAddress:
        """Parse the address of a hill's page, or of a site; raise UserError."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or not _is_host_name(host) or parts.scheme not in ("http", "https"):
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


def _is_host_name(host: str) -> bool:
    """Whether a text can be the name or the address of a host.

    >>> _is_host_name("hill.example"), _is_host_name("a..b"), _is_host_name("a b")
    (True, False, False)
    """
    try:
        return host.encode("idna").decode().isprintable() and " " not in host
    except UnicodeError:
        return False


def _is_local(host: str) -> bool:
    """Whether a host is this machine.

    >>> _is_local("localhost"), _is_local("127.0.0.2"), _is_local("::1"), _is_local("127.0.0.1.org")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None) -> str:
    """Return the token from a file or the environment; raise UserError if there is none."""
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not token:
            raise UserError(f"you have no token: set {TOKEN_VARIABLE}, or name a --token-file")
    else:
        try:
            with open(file, encoding="utf-8", opener=open_without_waiting) as text:
                token = text.read(MAX_ANSWER_BYTES).strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise UserError(f"{file} cannot be read: {describe_error(problem)}") from None
    if not (token.isascii() and token.isprintable() and token and " " not in token):
        raise UserError(f'{file or TOKEN_VARIABLE}: not a token (tokens begin with "arena_")')
    return token


@frozen
class SentArchive:
    """What a hill has made of an uploaded archive."""

    submission: int  #: the number of its submission
    is_new: bool  #: whether it was queued; if not, the hill has the same files already


@define
class HillClient:
    """An HTTP client for a site, with a token."""

    address: HillAddress
    _token: str = field(repr=False)

    def check_token(self) -> None:
        """Raise RequestRejectedError if the site does not know the token; UserError if none."""
        self._get("/me")

    def find_hill(self) -> HillDocument:
        """Return the hill of the site; raise UserError if the address names another one."""
        documents = _read_answer(self._get("/hills"), HillsDocument).hills
        if len(documents) != 1:
            raise UserError(UNKNOWN_SERVER_MESSAGE)
        hill = _read_answer(documents[0], HillDocument)
        name = self.address.hill
        if name not in {None, hill.name}:
            available = to_printable(hill.name)
            raise UserError(f"there is no hill called {name} (available: {available})")
        return hill

    def send_archive(self, hill: str, bot: str, data: bytes) -> SentArchive:
        """Upload an archive.

        Raises UserError, RequestRejectedError where it is not taken.
        """
        path, headers = f"/hills/{hill}/bots/{bot}", {"Content-Type": ZIP_TYPE}
        status, answer = self._request("PUT", path, data, headers)
        submission_id = _read_answer(answer, UploadAnswer).submission
        return SentArchive(submission_id, is_new=status == ACCEPTED_STATUS)

    def get_submission(self, submission_id: int) -> SubmissionDocument:
        """Return a submission with its log and its report; raise UserError."""
        return _read_answer(self._get(f"/submissions/{submission_id}"), SubmissionDocument)

    def follow_submission(self, submission_id: int) -> Iterator[SubmissionStatus]:
        """Yield the status of a submission each time that it changes, until it is final.

        Where the hill has no place for a stream, or the stream breaks, the hill is asked now and
        then. Raises UserError where the site says no more, or says what means nothing here; the
        submission goes on there all the same.
        """
        last: SubmissionStatus | None = None
        silent, wait = 0, RETRY_SECONDS
        while silent < MAX_SILENT_TRIES:
            silent += 1
            for status in self._read_statuses(submission_id):
                silent = 0
                if status != last:
                    last, wait = status, RETRY_SECONDS
                    yield status
                if status.over:
                    return
            sleep(wait)
            wait = min(2 * wait, MAX_RETRY_SECONDS)
        raise UserError(
            f"the site no longer answers; submission {submission_id} is still being processed there"
        )

    def _read_statuses(self, submission_id: int) -> Iterator[SubmissionStatus]:
        """Yield the statuses in a submission's stream until it ends, and then that of now."""
        with _pass_over_outage():
            yield from self._stream_statuses(f"/submissions/{submission_id}/events")
        with _pass_over_outage():
            yield self.get_submission(submission_id).status

    def _stream_statuses(self, path: str) -> Iterator[SubmissionStatus]:
        """Yield the statuses in a stream of events until it ends or breaks; raise UserError."""
        connection = self._connect()
        try:
            with self._send(connection, "GET", path) as answer:
                if answer.status != 200:  # noqa: PLR2004  # no stream: it says why
                    _read_json(answer)
                while line := answer.readline(MAX_ANSWER_BYTES):
                    if line.startswith(b"data: {") and line.strip() != FAREWELL:
                        event = json.loads(line.removeprefix(b"data: "))
                        yield read_document(event, SubmissionStatus)
        except (OSError, HTTPException, ValueError, RecursionError):
            return  # whoever follows asks anew
        finally:
            connection.close()

    def _get(self, path: str) -> Any:
        """Return the JSON at a path; raise UserError."""
        return self._request("GET", path)[1]

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
        except (OSError, HTTPException) as problem:
            raise UnreachableError(f"{self.address.host}: {describe_error(problem)}") from None
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
        usual = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why, all the same
            connection.request(method, API_ROOT + quote(path), body, {**usual, **(headers or {})})
        return connection.getresponse()


def _read_json(answer: HTTPResponse) -> Any:
    """Return a response's JSON.

    Raises:
        HTTPException: where the response breaks off.
        RequestRejectedError: where it is a refusal.
        UserError: where it is not JSON, or the site has moved.
    """
    data = answer.read(MAX_ANSWER_BYTES)
    if answer.length and len(data) < MAX_ANSWER_BYTES:
        raise IncompleteRead(data, answer.length)
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if 300 <= answer.status < 400:  # noqa: PLR2004  # it is not followed: the token would go along
        location = to_printable(answer.headers.get("Location", ""))
        raise UserError(f"this site has moved to {location}: use that address")
    if answer.status >= 400:  # noqa: PLR2004
        title = body.get("title") if isinstance(body, dict) else None
        raise RequestRejectedError(
            to_printable(str(title or f"{answer.status} {answer.reason}")), answer.status
        )
    if not isinstance(body, dict):
        raise UserError(UNKNOWN_SERVER_MESSAGE)
    return body


def _read_answer(answer: object, kind: type[D]) -> D:
    """Return the document that a hill has answered with; raise UserError."""
    try:
        return read_document(answer, kind)
    except ValidationError as problem:
        raise UserError(f"{UNKNOWN_SERVER_MESSAGE}: {problem.lines[0]}") from None


@contextmanager
def _pass_over_outage() -> Iterator[None]:
    """Suppress the errors of a site that cannot be reached, or has too much to do."""
    try:
        yield
    except RequestRejectedError as problem:
        if problem.status not in TRANSIENT_STATUSES:
            raise
    except UnreachableError:
        return
