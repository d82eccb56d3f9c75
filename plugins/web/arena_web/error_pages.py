"""What visitors are told where a request fails: a page, or JSON for programs.

Details go to the host's log alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

from attrs import field, frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from arena.wires import to_printable
from arena_web.addresses import AGENTS_PATH, find_root
from arena_web.http.problems import ProblemResponse
from arena_web.http.rate_limits import SAFE_METHODS
from arena_web.http.refusals import RefusedError
from arena_web.page_templates import PageFrame, PageValues, render_page

Renderer = Callable[[str, int, str, Mapping[str, str]], Response]
"""Renders an error response from the method, the status, a message and headers."""

PROGRAM_PREFIXES = ("/api/", AGENTS_PATH)  # what begins so is for programs
RETRY_SECONDS = 60  # until what could not be written is worth another try
STATUS_MESSAGES = {
    404: "This page does not exist.",
    405: "This page does not accept that kind of request.",
    503: "This site is busy; try again soon.",
}
"""Messages for people, by HTTP status."""

TITLES = {421: "Unknown host name"}
"""The titles of pages that show an error, by HTTP status, where the standard's own says nothing."""

KEPT_HEADERS = ("connection", "retry-after")  # headers of a refusal, however it is said


@frozen(kw_only=True)
class ErrorPage(PageValues):
    """The values of the page of a failure."""

    template = "error.html"

    title: str
    said: str


@frozen
class Failure:
    """What a visitor is told of a request that has failed."""

    status: int
    title: str
    message: str
    headers: Mapping[str, str] = field(factory=dict)
    brief: str = ""  #: the message for programs, if it is another

    @classmethod
    def of(cls, status: int, reason: str, headers: Mapping[str, str]) -> Failure:
        """Return the failure of a status, with its own reason or (empty) the usual message."""
        title = TITLES.get(status, HTTPStatus(status).phrase)
        sentence = f"{reason[:1].upper()}{to_printable(reason[1:])}."
        message = sentence if reason else STATUS_MESSAGES.get(status, title)
        return cls(status, title, message, headers, brief=reason or title)

    def render(self, request: Request) -> Response:
        """Return the answer: a page, or JSON for a program or a script of a page."""
        brief = to_printable(self.brief or self.message)
        if render := _find_renderer(request):
            return render(request.method, self.status, brief, self.headers)
        if _is_api_request(request) or not _is_page_request(request):
            return self._build_problem(brief)
        page = ErrorPage(title=self.title, said=self.message)
        response = render_page(page, PageFrame(root=find_root(request)), self.status)
        response.headers.update(self.headers)
        return response

    def _build_problem(self, brief: str) -> Response:
        """Return the failure as JSON, in one line."""
        again = self.headers.get("Retry-After")
        response = ProblemResponse(
            self.status, brief, **({"retry_after": int(again)} if again else {})
        )
        response.headers.update(self.headers)
        return response


async def handle_http_error(request: Request, problem: Exception) -> Response:
    """Render an HTTP error without internal details."""
    assert isinstance(problem, HTTPException)
    own = problem.detail if problem.detail != HTTPStatus(problem.status_code).phrase else ""
    return Failure.of(problem.status_code, own, problem.headers or {}).render(request)


async def handle_refusal(request: Request, problem: Exception) -> Response:
    """Render the refusal of a request, with its reason."""
    assert isinstance(problem, RefusedError)
    seconds = problem.retry_seconds
    headers = {} if seconds is None else {"Retry-After": f"{seconds}"}
    return Failure.of(problem.status, problem.message, headers).render(request)


async def handle_disconnect(_: Request, __: Exception) -> Response:
    """Answer a client that disconnected during its request, without a log entry."""
    return Response(status_code=400)


async def handle_user_error(request: Request, problem: Exception) -> Response:
    """Log a UserError for the host, and show visitors a general message."""
    request.app.throttle.say(to_printable(str(problem)))
    message = "This page is not available at the moment; the host's log has the details."
    return Failure(503, "Not available", message).render(request)


async def handle_storage_error(request: Request, problem: Exception) -> Response:
    """Log a StorageError for the host, and show visitors that the host has to fix it.

    What was asked for may be right: it is worth another try.
    """
    request.app.throttle.say(to_printable(str(problem)))
    verb = "read" if request.method in SAFE_METHODS else "written"
    message = f"This cannot be {verb} at the moment. The host needs to fix this; try again later."
    headers = {"Retry-After": f"{RETRY_SECONDS}"}
    return Failure(503, f"Cannot be {verb}", message, headers).render(request)


async def handle_exception(request: Request, _: Exception) -> Response:
    """Render an internal error; Starlette raises it again, so that it is logged."""
    message = "The site has a problem; the host's log has the details."
    return Failure(500, "Internal error", message).render(request)


def render_refusal(scope: Scope, refusal: ProblemResponse) -> Response:
    """Render a refusal of the security middleware: as a page, where a browser asks for one."""
    request = Request(scope)
    wants_page = "text/html" in request.headers.get("accept", "") and not _is_api_request(request)
    if not wants_page and _find_renderer(request) is None:
        return refusal
    headers = {name: refusal.headers[name] for name in KEPT_HEADERS if name in refusal.headers}
    return Failure.of(refusal.status_code, refusal.title, headers).render(request)


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
