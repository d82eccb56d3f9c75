"""Sessions: a key in a cookie, by which a browser is known for its author."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from arena_hill.auth.identity import get_cookie_name
from arena_hill.db.authors import SESSION_SECONDS, Identity, Scope
from arena_hill.service import HillService


async def identify_session(request: Request, service: HillService) -> Identity | None:
    """Return as whom a browser has come; None where it is nobody's session."""
    found = await service.identify(request.cookies.get(get_cookie_name(service.name), ""))
    return found if found and found.scope is Scope.SESSION else None


async def end_session(request: Request, service: HillService) -> None:
    """End the session of a browser, if it has one."""
    if key := request.cookies.get(get_cookie_name(service.name)):
        await service.ask(partial(service.database.end_session, key))


def set_session_cookie(answer: Response, service: HillService, key: str) -> Response:
    """Return an answer by which a browser keeps this session's key; no script can read it."""
    name = get_cookie_name(service.name)
    answer.set_cookie(name, key, SESSION_SECONDS, secure=True, httponly=True, samesite="lax")
    return answer


def delete_session_cookie(answer: Response, service: HillService) -> Response:
    """Return an answer by which a browser forgets the session's key."""
    answer.delete_cookie(get_cookie_name(service.name), secure=True, httponly=True, samesite="lax")
    return answer
