"""Who comes to a hill: known by a key in a header, or by a session's in a cookie."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena_web.hill.office import Office
from arena_web.hill.people import Visitor

BEARER = "bearer "
READS_ALONE = "this token can only read: create one that may submit"


def cookie_of(hill: str) -> str:
    """Return what the cookie of a hill's sessions is called: each hill of a host has its own.

    By its first word no other site, and no plain connection, can set it.
    """
    return f"__Host-hill-{hill}"


def key_of(request: Request, office: Office) -> str:
    """Return the key that a request shows to a hill; empty where it shows none."""
    given = request.headers.get("authorization")
    if given is None:
        return request.cookies.get(cookie_of(office.name), "")
    return given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""


async def visitor(request: Request, office: Office) -> Visitor:
    """Return as which author somebody has come to a hill; raise 401 where as none."""
    key = key_of(request, office)
    found = await office.who(key)
    if found is None:
        raise unknown(key)
    return found


async def sender(request: Request, office: Office) -> Visitor:
    """Return an author who may send and withdraw bots; raise 401, or 403 for a key to read."""
    found = await visitor(request, office)
    if not found.sends:
        raise HTTPException(403, READS_ALONE)
    return found


def unknown(key: str) -> HTTPException:
    """Return what is raised where nobody is known by the key that was shown, or none was."""
    if not key:
        said = "you are not signed in: send `Authorization: Bearer` with your token"
        return HTTPException(401, said, {"WWW-Authenticate": "Bearer"})
    challenge = 'Bearer error="invalid_token"'
    return HTTPException(
        401, "this token is unknown: create one on the hill's page", {"WWW-Authenticate": challenge}
    )
