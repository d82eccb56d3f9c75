"""What visitors are told where a request fails: a page, or JSON for programs.

Details go to the host's log alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from arena.wires import to_printable
from arena_web.addresses import AGENTS_PATH, find_root
from arena_web.http.problems import ProblemResponse
from arena_web.http.rate_limits import SAFE_METHODS
from arena_web.page_templates import render_page

Renderer = Callable[[str, int, str, Mapping[str, str]], Response]
"""Renders an error response from the method, the status, a message and headers."""

PROGRAM_PREFIXES = ("/api/", AGENTS_PATH)  # what begins so is for programs
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


async def handle_http_error(request: Request, wrong: Exception) -> Response:
    """Render an HTTP error without internal details."""
    assert isinstance(wrong, HTTPException)
    status = wrong.status_code
    title = HTTPStatus(status).phrase
    own = wrong.detail if wrong.detail != title else ""
    message = (
        f"{own[:1].upper()}{to_printable(own[1:])}." if own else STATUS_MESSAGES.get(status, title)
    )
    return _render_failure(request, status, title, message, wrong.headers, brief=own or title)


async def handle_disconnect(_: Request, __: Exception) -> Response:
    """Answer a client that disconnected during its request, without a log entry."""
    return Response(status_code=400)


async def handle_user_error(request: Request, problem: Exception) -> Response:
    """Log a UserError for the host, and show visitors a general message."""
    request.app.throttle.say(to_printable(str(problem)))
    message = "This page is not available at the moment; the host's log has the details."
    return _render_failure(request, 503, "Not available", message)


async def handle_storage_error(request: Request, problem: Exception) -> Response:
    """Log a StorageError for the host, and show visitors that the host has to fix it.

    What was asked for may be right: it is worth another try.
    """
    request.app.throttle.say(to_printable(str(problem)))
    verb = "read" if request.method in SAFE_METHODS else "written"
    message = f"This cannot be {verb} at the moment. The host needs to fix this; try again later."
    headers = {"Retry-After": f"{RETRY_SECONDS}"}
    program = not _is_page_request(request)
    return _render_failure(request, 503, f"Cannot be {verb}", message, headers, program=program)


async def handle_exception(request: Request, _: Exception) -> Response:
    """Render an internal error; Starlette raises it again, so that it is logged."""
    message = "The site has a problem; the host's log has the details."
    return _render_failure(request, 500, "Internal error", message)


def render_refusal(scope: Scope, refusal: ProblemResponse) -> Response:
    """Render a refusal of the security middleware: as a page, where a browser asks for one."""
    request, status, reason = Request(scope), refusal.status_code, refusal.title
    page = "text/html" in request.headers.get("accept", "") and not _is_api_request(request)
    if not page and _find_renderer(request) is None:
        return refusal
    title = TITLES.get(status, HTTPStatus(status).phrase)
    headers = {name: refusal.headers[name] for name in KEPT_HEADERS if name in refusal.headers}
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
    response = ProblemResponse(
        status, to_printable(message), **({"retry_after": int(again)} if again else {})
    )
    response.headers.update(headers or {})
    return response
