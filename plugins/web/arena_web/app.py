"""The web application, built from routes: behind its guard, with the pages of its errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Scope

from arena import UserError
from arena.rules import StorageError
from arena_web.addresses import SOURCES_PATH
from arena_web.error_pages import (
    Renderer,
    handle_disconnect,
    handle_exception,
    handle_http_error,
    handle_refusal,
    handle_storage_error,
    handle_user_error,
    render_refusal,
)
from arena_web.http.log_throttle import LogThrottle
from arena_web.http.rate_limits import SAFE_METHODS
from arena_web.http.refusals import RefusedError
from arena_web.http.response_cache import COMPRESSION_LEVEL
from arena_web.http.security import SecurityMiddleware
from arena_web.static_files import FILES, StaticFile, build_static_route

ErrorHandler = Callable[[Request, Exception], Awaitable[Response]]
"""Answers a request that has failed with an error."""

MIN_COMPRESSED_BYTES = 512  # bytes: what is shorter is not worth compressing


def classify(scope: Scope) -> str:
    """Return the name of the rate limit that applies to a request."""
    path: str = scope["path"]
    if scope["method"] not in SAFE_METHODS:
        return "answer"
    if path.startswith("/static/"):
        return "static"
    if path.endswith(("/steps", "/notes")):
        return "steps"
    is_part = path.startswith(SOURCES_PATH) and scope["query_string"].startswith(b"part=")
    return "part" if is_part else "page"


def build_application(
    routes: Iterable[BaseRoute],
    *,
    hosts: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
    on_shutdown: Iterable[Callable[[], None]] = (),
    uploads: Mapping[str, int] | None = None,
    renderers: Mapping[str, Renderer] | None = None,
    handlers: Mapping[type[Exception], ErrorHandler] | None = None,
    files: Mapping[str, StaticFile] | None = None,
    reserved_paths: Collection[str] = (),
    throttle: LogThrottle | None = None,
) -> GuardedApplication:
    """Return the application with these routes, and the files that pages load.

    Args:
        routes: of all pages but those files.
        hosts: the names by which it may be called beside this machine's own.
        limits: the requests that a client has each minute, by their kind; None for the usual ones.
        on_shutdown: called as soon as the server is to end; they end its streams.
        uploads: the longest bodies of requests in bytes, by how their paths begin (see
            `SecurityMiddleware`).
        renderers: what renders the answers about failures below a path, where pages are of no use.
        handlers: what answers errors that only these routes raise, by their classes.
        files: what pages load beside the files of this package, by name.
        reserved_paths: the pages that are answered also where there are too many connections.
        throttle: of the log; that of a store whose messages belong there, too.
    """
    return GuardedApplication(
        guard=partial(
            SecurityMiddleware,
            hosts=tuple(hosts),
            limits=limits,
            uploads=uploads,
            render=render_refusal,
            classify=classify,
        ),
        on_shutdown=on_shutdown,
        renderers=renderers or {},
        reserved_paths=reserved_paths,
        throttle=throttle or LogThrottle(),
        routes=[*routes, build_static_route({**FILES, **(files or {})})],
        middleware=[
            Middleware(
                GZipMiddleware, minimum_size=MIN_COMPRESSED_BYTES, compresslevel=COMPRESSION_LEVEL
            )
        ],
        exception_handlers={
            HTTPException: handle_http_error,
            ClientDisconnect: handle_disconnect,
            RefusedError: handle_refusal,
            StorageError: handle_storage_error,
            UserError: handle_user_error,
            Exception: handle_exception,
            **(handlers or {}),
        },
    )


class GuardedApplication(Starlette):
    """An application behind the security middleware, with what its server has to know of it."""

    def __init__(
        self,
        *,
        guard: Callable[[ASGIApp], ASGIApp],
        on_shutdown: Iterable[Callable[[], None]],
        renderers: Mapping[str, Renderer],
        reserved_paths: Collection[str],
        throttle: LogThrottle,
        **starlette: Any,
    ) -> None:
        super().__init__(**starlette)
        self._guard = guard
        self.on_shutdown = tuple(on_shutdown)
        self.renderers = renderers
        self.reserved_paths = frozenset(reserved_paths)
        self.throttle = throttle

    def build_middleware_stack(self) -> ASGIApp:
        """Put the security middleware outermost, so that it covers error pages, too.

        Starlette would put it inside error handling.
        """
        return self._guard(super().build_middleware_stack())
