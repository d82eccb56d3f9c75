"""What an author asks with: a token in a header, a session in a cookie, the body of an upload."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from arena.rules import StorageError, describe_error
from arena.tournament.file import get_data_folder
from arena_hill.db.database import SESSION_SECONDS, Principal, TokenScope
from arena_hill.db.submissions import SubmissionDeniedError
from arena_hill.service import INVALID_TOKEN_HEADERS, HillService
from arena_web.http.security import find_client

BEARER = "bearer "
READ_ONLY_MESSAGE = "this token can only read: create one that may submit"


def get_cookie_name(hill: str) -> str:
    """Return the name of the session cookie of a hill; each hill of a host has its own.

    By its first word no other site, and no plain connection, can set it.
    """
    return f"__Host-hill-{hill}"


def read_token(request: Request, service: HillService) -> str:
    """Return the token in a request to a hill; "" if there is none."""
    given = request.headers.get("authorization")
    if given is None:
        return request.cookies.get(get_cookie_name(service.name), "")
    return given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""


async def identify(request: Request, service: HillService) -> Principal:
    """Return the author who sends a request; raise 401 if there is none."""
    key = read_token(request, service)
    found = await service.identify(key)
    if found is None:
        raise build_unauthorized_error(key)
    return found


async def identify_submitter(request: Request, service: HillService) -> Principal:
    """Return the author if the token may submit bots; else raise 401 or 403."""
    found = await identify(request, service)
    if not found.can_submit:
        raise HTTPException(403, READ_ONLY_MESSAGE)
    return found


def build_unauthorized_error(key: str) -> HTTPException:
    """Return the 401 error for a request whose token is missing or unknown."""
    if not key:
        said = "you are not signed in: send `Authorization: Bearer` with your token"
        return HTTPException(401, said, {"WWW-Authenticate": "Bearer"})
    said = "this token is unknown: create one on the hill's page"
    return HTTPException(401, said, INVALID_TOKEN_HEADERS)


async def identify_session(request: Request, service: HillService) -> Principal | None:
    """Return the author of a browser's session, or None."""
    found = await service.identify(request.cookies.get(get_cookie_name(service.name), ""))
    return found if found and found.scope is TokenScope.SESSION else None


async def end_session(request: Request, service: HillService) -> None:
    """End the session of a browser, if it has one."""
    if key := request.cookies.get(get_cookie_name(service.name)):
        await service.ask(partial(service.database.end_session, key))


def set_session_cookie(answer: Response, service: HillService, key: str) -> Response:
    """Return the response with the session cookie set; scripts cannot read the cookie."""
    name = get_cookie_name(service.name)
    answer.set_cookie(name, key, SESSION_SECONDS, secure=True, httponly=True, samesite="lax")
    return answer


def delete_session_cookie(answer: Response, service: HillService) -> Response:
    """Return the response with the session cookie deleted."""
    answer.delete_cookie(get_cookie_name(service.name), secure=True, httponly=True, samesite="lax")
    return answer


# Receiving uploads: what the author may is checked first, and then the body goes to the disk.


@frozen
class Upload:
    """The body of an upload, in a file that is deleted afterwards."""

    file: IO[bytes]  #: at its beginning
    count: Callable[[], object]  #: to be called when the upload was queued: it counts


@asynccontextmanager
async def receive_upload(
    request: Request, service: HillService, author: Principal
) -> AsyncIterator[Upload]:
    """Receive the body of an author's upload, without holding it in memory.

    Raises:
        HTTPException: where the author may not upload now, or denied what was done within.
        StorageError: where the body cannot be written.
    """
    try:
        with service.upload_limits.reserve(author.id, find_client(request.scope)) as count:
            await service.ask(service.check_disk_space)
            with await _receive_body(request, get_data_folder(service.spec)) as file:
                yield Upload(file, count)
    except ClientDisconnect:
        raise HTTPException(400, "the request body is incomplete") from None
    except SubmissionDeniedError as problem:
        wait = {"Retry-After": f"{ceil(problem.wait)}"} if problem.wait else None
        raise HTTPException(problem.status, str(problem), wait) from None


async def _receive_body(request: Request, folder: Path) -> IO[bytes]:
    """Return a request's body in a new file without a name; raise StorageError."""
    with ExitStack() as unfinished:
        try:
            file = unfinished.enter_context(TemporaryFile(dir=folder))
            async for piece in request.stream():
                file.write(piece)
            file.seek(0)
        except OSError as problem:
            raise StorageError(f"{folder}: {describe_error(problem)}") from None
        unfinished.pop_all()
        return file
