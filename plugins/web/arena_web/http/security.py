"""The security middleware: headers, allowed hosts, cross-origin checks, limits.

It is plain ASGI, so that nothing comes past it, a stream as little as an error.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from urllib.parse import urlsplit

from attrs import define, field
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena_web.http.client_addresses import find_client

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types arena"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": (
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
    ),
}
"""The headers of all responses."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Names of this machine, which cannot resolve to another one."""

MAX_BODY_BYTES = 8192  # bytes, of all that are no uploads
BODY_TOO_LONG = "a request body may have at most {} bytes"
SAFE_METHODS = ("GET", "HEAD")
RATE_LIMITS = {"page": 300, "part": 1200, "steps": 300, "answer": 600, "upload": 60}
"""How many requests of a kind an address may make in a minute, and at once: a whole course may sit
behind one address."""

MINUTE_SECONDS = 60  # seconds
SPAN_SECONDS = {"upload": 60 * MINUTE_SECONDS}
"""The period of these limits, if not a minute."""

CHUNK_SECONDS = 30.0  # seconds for the next piece of a body
BODY_SECONDS = 30.0  # seconds for all of it
UPLOAD_SECONDS = 300.0  # the same, where it is an upload
PROBE_BYTES = 4  # with which git asks whether it may push more than it keeps in memory
MAX_REQUESTS_PER_ADDRESS = 100  # that are answered at once, streams among them
RETRY_SECONDS = 1  # until one of them is likely to be over
KEPT_HEADERS = ("connection", "retry-after")  # headers of a refusal, however it is said
MAX_BUCKETS = 10_000  # addresses that are remembered


@define
class RateLimiter:
    """Token buckets by address and kind of request."""

    limits: Mapping[str, int]  # of a minute, or of the span of a kind
    now: Callable[[], float] = monotonic
    _kept: dict[tuple[str, str], tuple[float, float]] = field(factory=dict)

    def wait(self, address: str, kind: str) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        most = self.limits.get(kind)
        if most is None:
            return 0.0
        if len(self._kept) >= MAX_BUCKETS:
            self._kept.pop(next(iter(self._kept)))  # who was first seen longest ago
        left, last = self._kept.get((address, kind), (float(most), self.now()))
        rate, now = most / SPAN_SECONDS.get(kind, MINUTE_SECONDS), self.now()
        left = min(float(most), left + (now - last) * rate)
        if left < 1:
            return (1 - left) / rate
        self._kept[address, kind] = (left - 1, now)
        return 0.0


def classify(scope: Scope) -> str:
    """Return the name of the rate limit that applies to a request."""
    path: str = scope["path"]
    if scope["method"] not in SAFE_METHODS:
        return "answer"
    if path.startswith("/static/"):
        return "static"
    if path.endswith(("/steps", "/notes")):
        return "steps"
    return "part" if scope["query_string"].startswith(b"part=") else "page"


Renderer = Callable[[str, int, str, Mapping[str, str]], Response]
"""Renders an error response from the method, the status, a message and headers."""


class ProblemResponse(JSONResponse):
    """A problem response (RFC 9457) in one line."""

    media_type = "application/problem+json"

    def __init__(self, status: int, title: str, **more: str | int) -> None:
        super().__init__({"title": title, "status": status, **more}, status)
        self.title = title


def build_problem(status: int, title: str, **more: str | int) -> ProblemResponse:
    """Return an error response as in RFC 9457."""
    return ProblemResponse(status, title, **more)


def find_renderer(renderers: Mapping[str, Renderer], path: str) -> Renderer | None:
    """Return the error renderer for a path, if it has its own."""
    return next((make for start, make in renderers.items() if path.startswith(start)), None)


class SecurityMiddleware:
    """The security middleware; `hosts` are the allowed names of this server.

    `uploads` are the bytes that a body may have, by what orders begin with: `PUT /api/v1/hills/`.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = (),
        limits: Mapping[str, int] | None = None,
        uploads: Mapping[str, int] | None = None,
        renderers: Mapping[str, Renderer] | None = None,
    ) -> None:
        self._app = app
        self._renderers = renderers or {}
        self._uploads = uploads or {}
        self._hosts = {*LOCAL_HOSTS, *(host.lower() for host in hosts)}
        self._buckets = RateLimiter(RATE_LIMITS if limits is None else limits)
        self._answering: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        upload = self._find_upload_limit(scope)
        seconds = BODY_SECONDS if upload is None else UPLOAD_SECONDS
        body = BodyLimit(receive, upload or MAX_BODY_BYTES, monotonic() + seconds)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                body.answered = True
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        client = find_client(scope)
        refused = self._find_refusal(scope, client)
        with self._count(client):
            answer = self._app if refused is None else self._render(scope, refused)
            await answer(scope, body.receive, send_with_headers)

    def _render(self, scope: Scope, refused: ProblemResponse) -> Response:
        """Render a refusal in a form that the client can read."""
        render = find_renderer(self._renderers, scope["path"])
        if render is None:
            return refused
        headers = {name: refused.headers[name] for name in KEPT_HEADERS if name in refused.headers}
        return render(scope["method"], refused.status_code, refused.title, headers)

    @contextmanager
    def _count(self, client: str) -> Iterator[None]:
        """Count a client's request while it is being answered."""
        self._answering[client] += 1
        try:
            yield
        finally:
            self._answering -= Counter([client])  # forgets who has none

    def _find_upload_limit(self, scope: Scope) -> int | None:
        """Return the maximum size of an upload in bytes; None for other requests."""
        order = f"{scope['method']} {scope['path']}"
        return next(
            (most for prefix, most in self._uploads.items() if order.startswith(prefix)), None
        )

    def _find_refusal(self, scope: Scope, client: str) -> ProblemResponse | None:
        """Return the reason to refuse a request, if there is one."""
        headers = Headers(scope=scope)
        if odd := _find_oddity(scope["path"], headers):
            refusal = build_problem(400, odd)
            refusal.headers["Connection"] = "close"  # who knows where the next request begins?
            return refusal
        if _strip_port(headers.get("host", "")) not in self._hosts:
            return build_problem(421, "unknown host name; allow it with --host-name")
        if scope["method"] not in SAFE_METHODS and not _is_same_origin(headers):
            return build_problem(403, "this request is only accepted from this site's own pages")
        longest = self._find_upload_limit(scope)
        if _read_content_length(headers) > (longest or MAX_BODY_BYTES):
            return build_problem(413, BODY_TOO_LONG.format(longest or MAX_BODY_BYTES))
        if self._answering[client] >= MAX_REQUESTS_PER_ADDRESS:
            return build_rate_refusal("at once", RETRY_SECONDS)
        kind = "upload" if longest and not _is_probe(headers) else classify(scope)
        return build_rate_refusal(kind, self._buckets.wait(client, kind))


def build_rate_refusal(kind: str, wait: float) -> ProblemResponse | None:
    """Return the refusal of too many requests; None if the wait is 0 seconds."""
    if not wait:
        return None
    seconds = math.ceil(wait)
    said = f"too many requests: try again in {seconds} s"
    refusal = build_problem(429, said, key=kind, retry_after=seconds)
    refusal.headers["Retry-After"] = str(seconds)
    return refusal


@define
class BodyLimit:
    """A request body with limits on its size and time, whatever its header says.

    Where the answer has begun it is too late to say so: then the visitor counts as gone.
    """

    _receive: Receive
    _longest: int  # bytes
    _until: float  # by the monotonic clock
    answered: bool = False
    _size: int = 0
    _whole: bool = False

    async def receive(self) -> Message:
        """Receive the next part of the body, or a disconnect."""
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(
                self._receive(), min(CHUNK_SECONDS, self._until - monotonic())
            )
        except TimeoutError:
            return self._refuse(408, "the rest of the request body did not arrive in time")
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._longest:
            return self._refuse(413, BODY_TOO_LONG.format(self._longest))
        return message

    def _refuse(self, status: int, why: str) -> Message:
        if not self.answered:
            raise HTTPException(status, why)
        return {"type": "http.disconnect"}


def _read_content_length(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if re.fullmatch(r"[0-9]{1,18}", said) else sys.maxsize


def _find_oddity(path: str, headers: Headers) -> str:
    """Return the reason why a request is ambiguous, or ""."""
    if not path.startswith("/"):
        return "the path of a request must begin with a slash"
    if "transfer-encoding" in headers and "content-length" in headers:
        return "send Content-Length or Transfer-Encoding, not both"
    return ""


def _is_probe(headers: Headers) -> bool:
    """Whether an upload is so short that it only probes access."""
    return "content-length" in headers and _read_content_length(headers) <= PROBE_BYTES


def _strip_port(header: str) -> str:
    """Return a Host header without its port.

    >>> _strip_port("LOCALHOST:8642"), _strip_port("[::1]:80")
    ('localhost', '[::1]')
    """
    return re.sub(r":[0-9]*$", "", header).lower()


def _is_same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own pages, or from a program other than a browser."""
    if (site := headers.get("sec-fetch-site")) is not None:
        return site in {"same-origin", "none"}
    if (origin := headers.get("origin")) is not None:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    return "cookie" not in headers
