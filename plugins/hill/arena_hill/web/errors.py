"""The errors of a hill as answers to requests: their statuses and headers."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena_hill.api_format import API_ROOT
from arena_hill.db.accounts import TokenRevokedError
from arena_hill.db.author_actions import NotOwnedError
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.web.hill_requests import NOT_YOURS_MESSAGE
from arena_hill.web.identity import INVALID_TOKEN_HEADERS
from arena_web.app import ErrorHandler
from arena_web.error_pages import handle_http_error

STATUSES = {
    Denial.INVALID: 422,
    Denial.CONFLICT: 409,
    Denial.LIMIT: 429,
    Denial.TOO_LARGE: 413,
    Denial.NO_ROOM: 503,
}
"""The HTTP status of a submission that is not taken, by the kind of reason."""


async def handle_denial(request: Request, problem: Exception) -> Response:
    """Answer a submission that is not taken, with the time after which it may come again."""
    assert isinstance(problem, SubmissionDeniedError)
    headers = {"Retry-After": f"{ceil(problem.wait)}"} if problem.wait else None
    error = HTTPException(STATUSES[problem.denial], str(problem), headers)
    return await handle_http_error(request, error)


async def handle_revoked_token(request: Request, problem: Exception) -> Response:
    """Answer a request whose token was revoked while it was under way."""
    error = HTTPException(401, str(problem), INVALID_TOKEN_HEADERS)
    return await handle_http_error(request, error)


async def handle_not_owned(request: Request, problem: Exception) -> Response:
    """Answer a request for what is not the author's own.

    Programs read whether it is another author's. A page says the same of all that it does not show.
    """
    assert isinstance(problem, NotOwnedError)
    if request.url.path.startswith(API_ROOT):
        error = HTTPException(403 if problem.is_others else 404, str(problem))
    else:
        error = HTTPException(404, NOT_YOURS_MESSAGE)
    return await handle_http_error(request, error)


ERROR_HANDLERS: Mapping[type[Exception], ErrorHandler] = {
    SubmissionDeniedError: handle_denial,
    TokenRevokedError: handle_revoked_token,
    NotOwnedError: handle_not_owned,
}
"""What answers each error of a hill."""
