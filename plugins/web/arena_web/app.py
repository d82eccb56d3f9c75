"""The application: what is served, put together of the routes of each part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from arena.cli.complaints import complain
from arena.rules import UserError
from arena.wires import printable
from arena_web.guard import Guard, problem
from arena_web.links import plain
from arena_web.static import FILES, ROUTE

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


PAGES.globals["files"] = frozenset(FILES)
PAGES.filters["clean"] = clean
API = "/api/"  # what begins so is for programs
SHORT = 512  # bytes: what is shorter is not worth compressing
SAID = {
    403: "This table can be watched when every rotation of its deal is over.",
    404: "There is no such page.",
    405: "This page takes no such order.",
    503: "Too much is asked for at this moment; try again soon.",
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
    if _for_a_program(request):
        return _problem(status, own or title, wrong.headers)
    said = f"{own[:1].upper()}{printable(own[1:])}." if own else SAID.get(status, title)
    made = page("wrong.html", status, root=root_of(request), title=title, said=said)
    made.headers.update(wrong.headers or {})
    return made


async def _unreadable(request: Request, problem: Exception) -> Response:
    """Tell the host, whose business it is, what a visitor is told in general."""
    complain(printable(str(problem)))
    said = "What belongs here cannot be read at this moment; the host is told why."
    if _for_a_program(request):
        return _problem(503, said)
    return page("wrong.html", 503, root=root_of(request), title="Not readable", said=said)


async def _broken(request: Request, _: Exception) -> Response:
    """Say that it is our fault; Starlette goes on raising it, and so it is logged."""
    said = "That is a fault of this site, and is logged."
    if _for_a_program(request):
        return _problem(500, said)
    return page("wrong.html", 500, root=root_of(request), title="Broken", said=said)


def _for_a_program(request: Request) -> bool:
    return request.url.path.startswith(API)


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
) -> Starlette:
    """Return the application with these routes, and the files that pages load.

    `hosts` are the names by which it may be called beside this machine's own, `limits` the
    requests of a minute by kind (see `guard`), `closing` what ends streams, called as soon as
    the server is to end, `uploads` how long bodies may be of orders that begin so (see `guard`).
    """
    app = Guarded(
        routes=[*routes, ROUTE],
        middleware=[Middleware(GZipMiddleware, minimum_size=SHORT)],
        exception_handlers={HTTPException: _wrong, UserError: _unreadable, Exception: _broken},
    )
    app.guard = partial(Guard, hosts=tuple(hosts), limits=limits, uploads=uploads)
    app.state.closing = [*closing]
    return app
