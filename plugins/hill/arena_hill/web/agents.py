"""Seats for agents on a hill: an MCP client sends the token of an author, for whom all counts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from math import ceil

from attrs import define, field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute

from arena_hill.web.identity import identify
from arena_hill.web.served_hill import ServedHill
from arena_web.http.rate_limits import RATE_LIMITS, RateLimiter
from arena_web.play.table_quota import AUTHOR_PREFIX
from arena_web.play.tables import PlayTables

KIND = "answer"  # of a call, as the limits of addresses count it


def build_routes(served: ServedHill, tables: PlayTables) -> Sequence[BaseRoute]:
    """Return the routes of seats for agents, where the plugin for them is installed."""
    if not find_spec("arena_mcp"):
        return ()
    from arena_mcp.server import AgentEndpoint

    return AgentEndpoint(tables, AuthorAccounts(served).identify).routes


@define(eq=False)
class AuthorAccounts:
    """Knows the authors of agents, and how many calls each makes, from whatever addresses."""

    served: ServedHill
    _calls: RateLimiter = field(factory=lambda: RateLimiter(RATE_LIMITS))

    async def identify(self, request: Request) -> str:
        """Return the author who sends a request, in place of an address.

        A token that can only read is enough: who plays changes nothing on the hill.

        Raises:
            HTTPException: 401 where no author does, 429 where that author makes too many calls.
        """
        author = await identify(request, self.served)
        account = f"{AUTHOR_PREFIX}{author.id} of {self.served.name}"
        if wait := ceil(self._calls.wait(account, KIND)):
            again = {"Retry-After": str(wait)}
            raise HTTPException(429, f"too many requests: try again in {wait} s", again)
        return account
