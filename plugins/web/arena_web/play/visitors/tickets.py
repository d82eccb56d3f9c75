"""Tickets: random texts in a cookie, by which a server knows the games of a browser."""

from __future__ import annotations

import hmac
import re
from hmac import compare_digest
from secrets import token_urlsafe

from attrs import field, frozen
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "arena-games"
HOST_PREFIX = "__Host-"  # of a cookie that only this host can set, and only by https
TICKET_BYTES = 24  # of chance, which are 32 characters
SIGNATURE_LENGTH = 65  # characters: a dot, and SHA-256 in hexadecimal digits
TICKET = re.compile(r"[\w-]{32}\.[0-9a-f]{64}", re.ASCII)
MAX_AGE = 400 * 86_400  # seconds: as long as browsers keep a cookie


@frozen
class Tickets:
    """Gives browsers tickets, and reads them.

    They are signed. So a browser has no ticket that somebody else has thought up, and then knows.
    The key also draws the deals of the day, of which transcripts tell the seeds. These are
    signatures of texts with spaces, so none of them makes a ticket, which has none.
    """

    key: bytes = field(repr=False)

    def read(self, request: Request) -> str:
        """Return the ticket of a request's browser; empty where it has none of this server."""
        ticket = request.cookies.get(_get_cookie_name(request), "")
        if not TICKET.fullmatch(ticket):
            return ""
        signature = self._sign(ticket[:-SIGNATURE_LENGTH])
        return ticket if compare_digest(ticket, signature) else ""

    def give(self, response: Response, request: Request) -> Response:
        """Return the response; it gives the browser a ticket, or has it keep its own for longer."""
        ticket = self.read(request) or self._sign(token_urlsafe(TICKET_BYTES))
        response.set_cookie(
            _get_cookie_name(request), ticket, MAX_AGE,
            secure=request.url.scheme == "https", httponly=True, samesite="lax",
        )  # fmt: skip
        return response

    def _sign(self, text: str) -> str:
        return f"{text}.{hmac.digest(self.key, text.encode(), 'sha256').hex()}"


def _get_cookie_name(request: Request) -> str:
    return HOST_PREFIX * (request.url.scheme == "https") + COOKIE
