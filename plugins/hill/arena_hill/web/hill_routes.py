"""Routes below the address of a hill, which is found by its name there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena_hill.web.hill_requests import HillRequest
from arena_hill.web.page_context import PageContext
from arena_hill.web.served_hill import ServedHill

R = TypeVar("R", bound=HillRequest)


def build_hill_route(
    hills: Mapping[str, ServedHill],
    path: str,
    read: Callable[[ServedHill, Request], Awaitable[R]],
    answer: Callable[[R], Awaitable[Response]],
    method: str = "GET",
) -> Route:
    """Return the route of a path with the name of a hill as `{hill}`; 404 if there is none.

    `read` makes the request to the hill, with its author, that is answered.
    """

    async def respond(request: Request) -> Response:
        served = hills.get(request.path_params["hill"])
        if served is None:
            raise HTTPException(404, f"there is no such hill (available: {', '.join(hills)})")
        return await answer(await read(served, request))

    return Route(path, respond, methods=[method])


def build_page_route(
    hills: Mapping[str, ServedHill],
    path: str,
    answer: Callable[[PageContext], Awaitable[Response]],
    method: str = "GET",
) -> Route:
    """Return the route of a page by its path below that of its hill."""
    return build_hill_route(hills, f"/hill/{{hill}}/{path}", PageContext.by_session, answer, method)
