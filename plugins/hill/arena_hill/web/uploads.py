"""Receiving uploads: what the author may is checked first, and then the body goes to the disk."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from arena.rules import StorageError, describe_error
from arena_hill.web.hill_requests import AuthorRequest
from arena_web.http.clients import find_client


@frozen
class Upload:
    """The body of an upload, in a file that is deleted afterwards."""

    file: IO[bytes]  #: at its beginning
    count: Callable[[], object]  #: to be called when the upload was queued: it counts


@asynccontextmanager
async def receive_upload(hill_request: AuthorRequest) -> AsyncIterator[Upload]:
    """Receive the body of an author's upload, without holding it in memory.

    Raises:
        SubmissionDeniedError: where the author may not upload now.
        HTTPException: where the body is incomplete.
        StorageError: where the body cannot be written.
    """
    request, served = hill_request.request, hill_request.served
    author = hill_request.author
    try:
        with served.upload_rates.reserve(author.id, find_client(request.scope)) as count:
            await served.ask(served.access.intake.check_disk_space)
            with await _receive_body(request, served.access.hill.spec.data_folder) as file:
                yield Upload(file, count)
    except ClientDisconnect:
        raise HTTPException(400, "the request body is incomplete") from None


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
