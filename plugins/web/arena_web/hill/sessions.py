"""Sessions: a key in a cookie, by which a browser is known for its author."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from arena_web.hill.office import Office
from arena_web.hill.people import SESSION, Scope, Visitor
from arena_web.hill.visiting import cookie_of


async def visitor(request: Request, office: Office) -> Visitor | None:
    """Return as whom a browser has come; None where it is nobody's session."""
    found = await office.who(request.cookies.get(cookie_of(office.name), ""))
    return found if found and found.scope is Scope.SESSION else None


async def leave(request: Request, office: Office) -> None:
    """End the session of a browser, if it has one."""
    if key := request.cookies.get(cookie_of(office.name)):
        await office.ask(partial(office.register.end_session, key))


def signed_in(answer: Response, office: Office, key: str) -> Response:
    """Return an answer by which a browser keeps this session's key; no script can read it."""
    name = cookie_of(office.name)
    answer.set_cookie(name, key, SESSION, secure=True, httponly=True, samesite="lax")
    return answer


def signed_out(answer: Response, office: Office) -> Response:
    """Return an answer by which a browser forgets the session's key."""
    answer.delete_cookie(cookie_of(office.name), secure=True, httponly=True, samesite="lax")
    return answer
