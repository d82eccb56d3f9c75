"""Sessions: a token in a cookie that identifies the author of a browser."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from arena_hill.auth.identity import get_cookie_name
from arena_hill.db.authors import SESSION_SECONDS, Identity, TokenScope
from arena_hill.service import HillService


async def identify_session(request: Request, service: HillService) -> Identity | None:
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
