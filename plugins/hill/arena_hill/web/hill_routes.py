"""The routes of a hill: who sends the request is found out, and whether it is to this hill."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena_hill.web.hill_requests import HillRequest
from arena_hill.web.page_context import PageContext
from arena_hill.web.served_hill import ServedHill

R = TypeVar("R", bound=HillRequest)
P = TypeVar("P", bound=PageContext)


def build_hill_route(
    served: ServedHill,
    path: str,
    read: Callable[[ServedHill, Request], Awaitable[R]],
    answer: Callable[[R], Awaitable[Response]],
    method: str = "GET",
) -> Route:
    """Return the route of a path, which may have the hill's name as `{hill}`; 404 for another name.

    `read` makes the request to the hill, with its author, that is answered.
    """

    async def respond(request: Request) -> Response:
        if request.path_params.get("hill", served.name) != served.name:
            raise HTTPException(404, f"there is no such hill (available: {served.name})")
        return await answer(await read(served, request))

    return Route(path, respond, methods=[method])


def build_page_route(
    served: ServedHill,
    path: str,
    read: Callable[[ServedHill, Request], Awaitable[P]],
    answer: Callable[[P], Awaitable[Response]],
    method: str = "GET",
) -> Route:
    """Return the route of a page by its path below that of its hill."""
    return build_hill_route(served, f"/hill/{{hill}}/{path}", read, answer, method)
