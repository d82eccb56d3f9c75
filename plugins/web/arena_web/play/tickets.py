"""A visitor's ticket: a random text in a cookie, by which a server knows the games of a browser."""

from __future__ import annotations

import re
import secrets

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "arena-games"
TICKET_BYTES = 24
TICKET_PATTERN = r"[\w-]{32}"
MAX_AGE = 400 * 86_400  # seconds: as long as browsers keep a cookie


def read_ticket(request: Request) -> str:
    """Return the ticket of a request's browser; empty where it has none."""
    ticket = request.cookies.get(COOKIE, "")
    return ticket if re.fullmatch(TICKET_PATTERN, ticket, re.ASCII) else ""


def set_ticket(response: Response, request: Request) -> Response:
    """Return the response; it gives the browser a ticket, or has it keep its own for longer."""
    response.set_cookie(
        COOKIE, read_ticket(request) or secrets.token_urlsafe(TICKET_BYTES), MAX_AGE,
        secure=request.url.scheme == "https", httponly=True, samesite="lax",
    )  # fmt: skip
    return response
