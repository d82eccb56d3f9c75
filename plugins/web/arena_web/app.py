"""The application: what is served, put together of the routes of each part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from http import HTTPStatus

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from arena.rules import StorageError, UserError
from arena.wires import printable
from arena_web.guard import SAFE, Guard, Renderer, find_renderer, problem
from arena_web.links import plain
from arena_web.repeats import Repeats
from arena_web.static import FILES, ROUTE
from arena_web.warm import LEVEL

PAGES = Environment(
    loader=PackageLoader("arena_web"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates; what comes from strangers is text in them, always."""


def clean(text: str) -> str:
    r"""Return a text of several lines without what could move, hide or turn round others.

    >>> clean("one\n\ttwo \x1b[31m")
    'one\n        two ?[31m'
    """
    return "\n".join(map(printable, text.expandtabs().splitlines()))


def when(stored: str) -> Markup:
    """Return a stored time as people read it, and as programs do.

    >>> when("2026-11-03T08:05:59.123Z")
    Markup('<time datetime="2026-11-03T08:05:59.123Z">3 Nov 2026, 08:05 UTC</time>')
    """
    at = datetime.fromisoformat(stored)
    words = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(stored, words)


PAGES.globals["files"] = frozenset(FILES)
PAGES.filters["clean"] = clean
PAGES.filters["when"] = when
API = "/api/"  # what begins so is for programs
SHORT = 512  # bytes: what is shorter is not worth compressing
RETRY_SECONDS = 60  # until what could not be written is worth another try
SAID = {
    403: "This table can be watched when every rotation of its deal is over.",
    404: "There is no such page.",
    405: "This page does not accept that kind of request.",
    503: "This site is busy; try again soon.",
}
"""What went wrong, for people."""


def page(name: str, status: int = 200, /, **values: object) -> Response:
    """Return a page made of a template."""
    return HTMLResponse(PAGES.get_template(name).render(values), status)


def attached(name: str) -> dict[str, str]:
    """Return the headers of what a browser saves as a file of this name.

    >>> attached("my hill.csv")
    {'Content-Disposition': 'attachment; filename="my-hill.csv"'}
    """
    return {"Content-Disposition": f'attachment; filename="{plain(name)}"'}


def root_of(request: Request) -> str:
    """Return the way from a page to the root of the site, such as `../`."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return "../" * (raw.partition(b"?")[0].count(b"/") - 1) or "./"


async def _wrong(request: Request, wrong: Exception) -> Response:
    """Say that something cannot be shown, without saying what is nobody's business."""
    assert isinstance(wrong, HTTPException)
    status = wrong.status_code
    title = HTTPStatus(status).phrase
    own = wrong.detail if wrong.detail != title else ""
    said = f"{own[:1].upper()}{printable(own[1:])}." if own else SAID.get(status, title)
    return _failure(request, status, title, said, wrong.headers, brief=own or title)


async def _cut_off(_: Request, __: Exception) -> Response:
    """Answer who has gone before all of a request had come: nobody hears it, nothing is logged."""
    return Response(status_code=400)


async def _unreadable(request: Request, problem: Exception) -> Response:
    """Tell the host, whose business it is, what a visitor is told in general."""
    request.app.state.repeats.say(printable(str(problem)))
    said = "This page cannot be made at the moment; the host's log says why."
    return _failure(request, 503, "Not readable", said)


async def _unavailable(request: Request, problem: Exception) -> Response:
    """Tell the host what cannot be read or written, and a visitor that the host has to fix it.

    What was asked for may be right: it is worth another try.
    """
    request.app.state.repeats.say(printable(str(problem)))
    done = "read" if request.method in SAFE else "written"
    said = f"This cannot be {done} at the moment, which the host has to fix; try again later."
    headers = {"Retry-After": f"{RETRY_SECONDS}"}
    program = not _reads_pages(request)
    return _failure(request, 503, f"Cannot be {done}", said, headers, program=program)


async def _broken(request: Request, _: Exception) -> Response:
    """Say that it is our fault; Starlette goes on raising it, and so it is logged."""
    said = "This is a fault of the site; the host's log has the details."
    return _failure(request, 500, "Broken", said)


def _failure(
    request: Request,
    status: int,
    title: str,
    said: str,
    headers: Mapping[str, str] | None = None,
    *,
    brief: str = "",
    program: bool = False,
) -> Response:
    """Return what went wrong as whoever asks can read it: a page, or (`brief`) for a program."""
    if render := find_renderer(request.app.state.renderers, request.url.path):
        return render(request.method, status, printable(brief or said), headers or {})
    if program or request.url.path.startswith(API):
        return _problem(status, brief or said, headers)
    made = page("wrong.html", status, root=root_of(request), title=title, said=said)
    made.headers.update(headers or {})
    return made


def _reads_pages(request: Request) -> bool:
    """Whether an order was given in a browser, or a page was asked for."""
    return request.method in SAFE or "text/html" in request.headers.get("accept", "")


def _problem(status: int, said: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return what went wrong, in one line."""
    again = (headers or {}).get("Retry-After")
    made = problem(status, printable(said), **({"retry_after": int(again)} if again else {}))
    made.headers.update(headers or {})
    return made


class Guarded(Starlette):
    """An application behind the guard, whose headers are on the pages about errors, too."""

    guard: Callable[[ASGIApp], ASGIApp]

    def build_middleware_stack(self) -> ASGIApp:
        """Put the guard before all else; Starlette's own middleware would be behind its errors."""
        return self.guard(super().build_middleware_stack())


def application(
    routes: Iterable[BaseRoute],
    *,
    hosts: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
    closing: Iterable[Callable[[], None]] = (),
    uploads: Mapping[str, int] | None = None,
    renderers: Mapping[str, Renderer] | None = None,
) -> Starlette:
    """Return the application with these routes, and the files that pages load.

    `hosts` are the names by which it may be called beside this machine's own, `limits` the
    requests of a minute by kind (see `guard`), `closing` what ends streams, called as soon as
    the server is to end, `uploads` how long bodies may be of orders that begin so (see `guard`),
    `renderers` what makes the answers about failures below a path, where pages are of no use.
    """
    renderers = renderers or {}
    app = Guarded(
        routes=[*routes, ROUTE],
        middleware=[Middleware(GZipMiddleware, minimum_size=SHORT, compresslevel=LEVEL)],
        exception_handlers={
            HTTPException: _wrong,
            ClientDisconnect: _cut_off,
            StorageError: _unavailable,
            UserError: _unreadable,
            Exception: _broken,
        },
    )
    app.guard = partial(
        Guard, hosts=tuple(hosts), limits=limits, uploads=uploads, renderers=renderers
    )
    app.state.closing = [*closing]
    app.state.renderers = renderers
    app.state.repeats = Repeats()
    return app
