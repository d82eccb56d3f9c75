"""The web application, built from routes; links, static files, templates, errors of all pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Scope

from arena import Count, UserError
from arena.plugins import get_plugins
from arena.rules import StorageError, format_choices
from arena.tournament.models import get_name
from arena.wires import to_printable
from arena_web.http.caches import COMPRESSION_LEVEL
from arena_web.http.log_throttle import LogThrottle
from arena_web.http.rate_limits import SAFE_METHODS
from arena_web.http.security import ProblemResponse, SecurityMiddleware, build_problem

STATIC_FOLDER = Path(__file__).with_name("static")
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STATIC_CACHE_CONTROL = "max-age=60"  # long enough for a click through the pages

Renderer = Callable[[str, int, str, Mapping[str, str]], Response]
"""Renders an error response from the method, the status, a message and headers."""
AGENTS_PATH = "/mcp"  # of seats for agents, where a plugin serves them
PROGRAM_PREFIXES = ("/api/", AGENTS_PATH)  # what begins so is for programs
MIN_COMPRESSED_BYTES = 512  # bytes: what is shorter is not worth compressing
RETRY_SECONDS = 60  # until what could not be written is worth another try
STATUS_MESSAGES = {
    403: "This table can be watched once every rotation of its deal is over.",
    404: "This page does not exist.",
    405: "This page does not accept that kind of request.",
    503: "This site is busy; try again soon.",
}
"""Messages for people, by HTTP status."""

TITLES = {421: "Unknown host name"}
"""The titles of pages that show an error, by HTTP status, where the standard's own says nothing."""

KEPT_HEADERS = ("connection", "retry-after")  # headers of a refusal, however it is said


def build_application(
    routes: Iterable[BaseRoute],
    *,
    hosts: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
    closing: Iterable[Callable[[], None]] = (),
    uploads: Mapping[str, int] | None = None,
    renderers: Mapping[str, Renderer] | None = None,
    files: Mapping[str, StaticFile] | None = None,
    reserved_paths: Collection[str] = (),
) -> GuardedApplication:
    """Return the application with these routes, and the files that pages load.

    `hosts` are the names by which it may be called beside this machine's own, `limits` the
    requests of a minute by kind and `uploads` how long bodies may be of orders that begin so (see
    `SecurityMiddleware`), `closing` what ends streams, called as soon as the server is to end,
    `renderers` what makes the answers about failures below a path, where pages are of no use,
    `files` what its pages load beside the files of this package, by name, `reserved_paths` the
    pages that are answered also where there are too many connections.
    """
    return GuardedApplication(
        guard=partial(
            SecurityMiddleware,
            hosts=tuple(hosts),
            limits=limits,
            uploads=uploads,
            render=_render_refusal,
        ),
        closing=closing,
        renderers=renderers or {},
        reserved_paths=reserved_paths,
        routes=[*routes, build_static_route({**FILES, **(files or {})})],
        middleware=[
            Middleware(
                GZipMiddleware, minimum_size=MIN_COMPRESSED_BYTES, compresslevel=COMPRESSION_LEVEL
            )
        ],
        exception_handlers={
            HTTPException: _handle_http_error,
            ClientDisconnect: _handle_disconnect,
            StorageError: _handle_storage_error,
            UserError: _handle_user_error,
            Exception: _handle_exception,
        },
    )


class GuardedApplication(Starlette):
    """An application behind the security middleware, with what its server has to know of it."""

    def __init__(
        self,
        *,
        guard: Callable[[ASGIApp], ASGIApp],
        closing: Iterable[Callable[[], None]],
        renderers: Mapping[str, Renderer],
        reserved_paths: Collection[str],
        **starlette: Any,
    ) -> None:
        super().__init__(**starlette)
        self._guard = guard
        self.closing = tuple(closing)
        self.renderers = renderers
        self.reserved_paths = frozenset(reserved_paths)
        self.throttle = LogThrottle()

    def build_middleware_stack(self) -> ASGIApp:
        """Put the security middleware outermost, so that it covers error pages, too.

        Starlette would put it inside error handling.
        """
        return self._guard(super().build_middleware_stack())


async def _handle_http_error(request: Request, wrong: Exception) -> Response:
    """Render an HTTP error without internal details."""
    assert isinstance(wrong, HTTPException)
    status = wrong.status_code
    title = HTTPStatus(status).phrase
    own = wrong.detail if wrong.detail != title else ""
    message = (
        f"{own[:1].upper()}{to_printable(own[1:])}." if own else STATUS_MESSAGES.get(status, title)
    )
    return _render_failure(request, status, title, message, wrong.headers, brief=own or title)


async def _handle_disconnect(_: Request, __: Exception) -> Response:
    """Answer a client that disconnected during its request, without a log entry."""
    return Response(status_code=400)


async def _handle_user_error(request: Request, problem: Exception) -> Response:
    """Log a UserError for the host, and show visitors a general message."""
    request.app.throttle.say(to_printable(str(problem)))
    message = "This page is not available at the moment; the host's log has the details."
    return _render_failure(request, 503, "Not available", message)


async def _handle_storage_error(request: Request, problem: Exception) -> Response:
    """Log a StorageError for the host, and show visitors that the host has to fix it.

    What was asked for may be right: it is worth another try.
    """
    request.app.throttle.say(to_printable(str(problem)))
    verb = "read" if request.method in SAFE_METHODS else "written"
    message = f"This cannot be {verb} at the moment. The host needs to fix this; try again later."
    headers = {"Retry-After": f"{RETRY_SECONDS}"}
    program = not _is_page_request(request)
    return _render_failure(request, 503, f"Cannot be {verb}", message, headers, program=program)


async def _handle_exception(request: Request, _: Exception) -> Response:
    """Render an internal error; Starlette raises it again, so that it is logged."""
    message = "The site has a problem; the host's log has the details."
    return _render_failure(request, 500, "Internal error", message)


def _render_refusal(scope: Scope, refused: ProblemResponse) -> Response:
    """Render a refusal of the security middleware: as a page, where a browser asks for one."""
    request, status, reason = Request(scope), refused.status_code, refused.title
    page = "text/html" in request.headers.get("accept", "") and not _is_api_request(request)
    if not page and _find_renderer(request) is None:
        return refused
    title = TITLES.get(status, HTTPStatus(status).phrase)
    headers = {name: refused.headers[name] for name in KEPT_HEADERS if name in refused.headers}
    message = f"{reason[:1].upper()}{reason[1:]}."
    return _render_failure(request, status, title, message, headers, brief=reason)


def _render_failure(
    request: Request,
    status: int,
    title: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    brief: str = "",
    program: bool = False,
) -> Response:
    """Return an error response: a page, or (with the text `brief`) JSON for a program."""
    if render := _find_renderer(request):
        return render(request.method, status, to_printable(brief or message), headers or {})
    if program or _is_api_request(request):
        return _build_problem(status, brief or message, headers)
    response = render_page("error.html", status, root=find_root(request), title=title, said=message)
    response.headers.update(headers or {})
    return response


def _find_renderer(request: Request) -> Renderer | None:
    """Return the error renderer for a request's path, if it has its own."""
    renderers: Mapping[str, Renderer] = request.app.renderers
    path = request.scope["path"]
    return next((make for start, make in renderers.items() if path.startswith(start)), None)


def _is_api_request(request: Request) -> bool:
    """Whether a request is one of a program's."""
    return str(request.scope["path"]).startswith(PROGRAM_PREFIXES)


def _is_page_request(request: Request) -> bool:
    """Whether a request comes from a form or asks for a page."""
    return request.method in SAFE_METHODS or "text/html" in request.headers.get("accept", "")


def _build_problem(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as JSON, in one line."""
    again = (headers or {}).get("Retry-After")
    response = build_problem(
        status, to_printable(message), **({"retry_after": int(again)} if again else {})
    )
    response.headers.update(headers or {})
    return response


def render_page(name: str, status: int = 200, /, **values: object) -> Response:
    """Render a template as a page."""
    return HTMLResponse(TEMPLATES.get_template(name).render(values), status)


def build_attachment_headers(name: str) -> dict[str, str]:
    """Return the headers for a download with this file name.

    >>> build_attachment_headers("my hill.csv")
    {'Content-Disposition': 'attachment; filename="my-hill.csv"'}
    """
    return {"Content-Disposition": f'attachment; filename="{slugify(name)}"'}


def find_root(request: Request) -> str:
    """Return the relative path from a page to the root of the site, such as `../`."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return "../" * (raw.partition(b"?")[0].count(b"/") - 1) or "./"


@frozen
class Links:
    """The addresses of a source's pages, relative to one of them."""

    base: str  # the way to its first page, such as `./` or `../`

    def __call__(self, *parts: str, **query: object) -> str:
        """Return the address of a page, without empty query parameters.

        >>> Links("../")("bots", "a/b"), Links("./")("matches", bot="x", end="")
        ('../bots/a%2Fb', './matches?bot=x')
        """
        page = self.base + "/".join([quote(part, safe="@") for part in parts])
        parameters = {name: str(value) for name, value in query.items() if value}
        return f"{page}?{urlencode(parameters)}" if parameters else page

    def verdict(self, key: str, seat: int) -> str:
        """Return the address of the step at which a seat failed in a match.

        >>> Links("../").verdict("12.0", 1)
        '../m/12.0#verdict=1'
        """
        return f"{self('m', key)}#verdict={seat}"


def slugify(text: str) -> str:
    """Return a text whose characters need no escaping in addresses and headers.

    >>> slugify('my "hill" 1.0')
    'my-hill-1.0'
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)


@frozen
class StaticFile:
    """A static file."""

    body: bytes
    kind: str
    tag: str


def read_files(folder: Path) -> dict[str, StaticFile]:
    """Read the static files of a folder; return them by name."""
    return {
        path.name: _read_file(path) for path in sorted(folder.iterdir()) if path.suffix in TYPES
    }


def _read_file(path: Path) -> StaticFile:
    body = path.read_bytes()
    return StaticFile(body, TYPES[path.suffix], f'"{sha256(body).hexdigest()[:16]}"')


FILES = read_files(STATIC_FOLDER)
"""The static files of all pages by name."""


def build_static_route(files: Mapping[str, StaticFile]) -> Route:
    """Return the route that serves these files by name, below `/static/`."""

    async def serve_file(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        headers = {"ETag": file.tag, "Cache-Control": STATIC_CACHE_CONTROL}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.body, media_type=file.kind, headers=headers)

    return Route("/static/{name}", serve_file)


def clean_text(text: str) -> str:
    r"""Return a text without control characters, except for line breaks.

    >>> clean_text("one\n\ttwo \x1b[31m")
    'one\n        two ?[31m'
    """
    return "\n".join(map(to_printable, text.expandtabs().splitlines()))


def reflow(text: str) -> str:
    r"""Return a text that was broken into lines for a terminal, with one line for a paragraph.

    Indented lines, which are those of a list, stay apart; those that are indented further continue
    the one before.

    >>> reflow("One\ntwo:\n  a  1\n       2\n  b\nThree")
    'One two:\n  a  1 2\n  b\nThree'
    """
    joined = re.sub(r"\n {5,}", " ", text)
    return re.sub(r"(?m)^(\S.*)\n(?=\S)", r"\1 ", joined)


def split_paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text that was broken into lines for a terminal.

    >>> split_paragraphs("One\ntwo.\n\nThree.")
    ['One two.', 'Three.']
    """
    return reflow(text).split("\n\n")


def format_time(stored: str) -> Markup:
    """Format a stored time for people, with the exact time for programs.

    >>> format_time("2026-11-03T08:05:59.123Z")
    Markup('<time datetime="2026-11-03T08:05:59.123Z">3 Nov 2026, 08:05 UTC</time>')
    """
    try:
        at = datetime.fromisoformat(stored)
    except ValueError:  # written by something else than a run
        return escape(stored)
    words = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(stored, words)


def format_game(name: str) -> str:
    """Return a game's title, such as GOPS, or the name of an unknown game."""
    game = get_plugins().games.get(name)
    return game.title if game else name


def find_count(name: str) -> Count:
    """Return the count of the scores of a game, which may be unknown here."""
    game = get_plugins().games.get(name)
    return game.presentation.count if game else Count()


def present_name(name: str) -> str:
    """Return the name of a player at a table as people read it.

    >>> present_name("counter_2"), present_name("Zoë_B")
    ('Counter 2', 'Zoë B')
    """
    words = to_printable(name).replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}" or name


def present_names(names: Sequence[str]) -> list[str]:
    """Return the names of all players as people read them; as they are if two became the same.

    >>> present_names(["ann", "counter_2"]), present_names(["ann", "Ann"])
    (['Ann', 'Counter 2'], ['ann', 'Ann'])
    """
    readable = [*map(present_name, names)]
    return readable if len({*readable}) == len(readable) else [*map(to_printable, names)]


def format_duration(seconds: float) -> str:
    """Return seconds for people, short ones as milliseconds.

    >>> format_duration(0.0004), format_duration(2.5)
    ('0.4 ms', '2.50 s')
    """
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


TEMPLATES = Environment(
    loader=PackageLoader("arena_web"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates, which escape all values."""

TEMPLATES.filters["bot_name"] = get_name
TEMPLATES.filters["player_name"] = present_name
TEMPLATES.filters["choices"] = format_choices
TEMPLATES.filters["duration"] = format_duration
TEMPLATES.filters["game_title"] = format_game
TEMPLATES.filters["clean"] = clean_text
TEMPLATES.filters["paragraphs"] = split_paragraphs
TEMPLATES.filters["count"] = find_count
TEMPLATES.filters["when"] = format_time
