"""Routes below the address of a hill, which is found by its name there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena_hill.web.page_context import PageContext
from arena_hill.web.served_hill import ServedHill

HillAnswer = Callable[[ServedHill, Request], Awaitable[Response]]
PageAnswer = Callable[[PageContext], Awaitable[Response]]


def build_hill_route(
    hills: Mapping[str, ServedHill], path: str, answer: HillAnswer, method: str = "GET"
) -> Route:
    """Return the route of a path with the name of a hill as `{hill}`; 404 if there is none."""

    async def respond(request: Request) -> Response:
        served = hills.get(request.path_params["hill"])
        if served is None:
            raise HTTPException(404, f"there is no such hill (available: {', '.join(hills)})")
        return await answer(served, request)

    return Route(path, respond, methods=[method])


def build_page_route(
    hills: Mapping[str, ServedHill], path: str, answer: PageAnswer, method: str = "GET"
) -> Route:
    """Return the route of a page by its path below that of its hill."""

    async def respond(served: ServedHill, request: Request) -> Response:
        return await answer(await PageContext.of(served, request))

    return build_hill_route(hills, f"/hill/{{hill}}/{path}", respond, method)
