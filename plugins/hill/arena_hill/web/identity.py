"""Who sends a request to a hill: by a token, or by the session of a browser."""

from __future__ import annotations

from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena_hill.db.accounts import SESSION_SECONDS, Principal, TokenScope
from arena_hill.web.served_hill import ServedHill

BEARER = "bearer "
INVALID_TOKEN_HEADERS = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
READ_ONLY_MESSAGE = "this token can only read: create one that may submit"


def get_cookie_name(hill: str) -> str:
    """Return the name of the session cookie of a hill.

    A browser sends its cookies to all ports of a host, so each hill there has a name of its own. By
    its first word no other site, and no plain connection, can set it.
    """
    return f"__Host-hill-{hill}"


def read_token(request: Request, served: ServedHill) -> str:
    """Return the token in a request to a hill; "" if there is none."""
    header = request.headers.get("authorization")
    if header is None:
        return request.cookies.get(get_cookie_name(served.name), "")
    return header[len(BEARER) :].strip() if header.lower().startswith(BEARER) else ""


async def identify(request: Request, served: ServedHill) -> Principal:
    """Return the author who sends a request; raise 401 if there is none."""
    token = read_token(request, served)
    author = await served.identify(token)
    if author is None:
        raise build_unauthorized_error(token)
    return author


def build_unauthorized_error(token: str) -> HTTPException:
    """Return the 401 error for a request whose token is missing or unknown."""
    if not token:
        message = "you are not signed in: send `Authorization: Bearer` with your token"
        return HTTPException(401, message, {"WWW-Authenticate": "Bearer"})
    message = "this token is unknown: create one on the hill's page"
    return HTTPException(401, message, INVALID_TOKEN_HEADERS)


async def identify_session(request: Request, served: ServedHill) -> Principal | None:
    """Return the author of a browser's session, or None."""
    author = await served.identify(request.cookies.get(get_cookie_name(served.name), ""))
    return author if author and author.scope is TokenScope.SESSION else None


async def end_session(request: Request, served: ServedHill) -> None:
    """End the session of a browser, if it has one."""
    if token := request.cookies.get(get_cookie_name(served.name)):
        await served.ask(partial(served.access.store.accounts.end_session, token))


def set_session_cookie(answer: Response, served: ServedHill, token: str) -> Response:
    """Return the response with the session cookie set; scripts cannot read the cookie."""
    name = get_cookie_name(served.name)
    answer.set_cookie(name, token, SESSION_SECONDS, secure=True, httponly=True, samesite="lax")
    return answer


def delete_session_cookie(answer: Response, served: ServedHill) -> Response:
    """Return the response with the session cookie deleted."""
    answer.delete_cookie(get_cookie_name(served.name), secure=True, httponly=True, samesite="lax")
    return answer
