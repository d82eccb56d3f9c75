"""What stands before every page: headers, known hosts, no orders from elsewhere, limits.

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

from arena_web.addresses import find_client

POLICY = {
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
"""The headers of all answers."""

HERE = ("localhost", "127.0.0.1", "[::1]")
"""Names of this machine, for itself; none of them can be pointed elsewhere."""

LONGEST_BODY = 8192  # bytes, of all that are no uploads
TOO_LONG = "a body has at most {} bytes"
SAFE = ("GET", "HEAD")
LIMITS = {"page": 300, "part": 1200, "steps": 300, "answer": 600, "upload": 60}
"""How many requests of a kind an address may make in a minute, and at once: a whole course may sit
behind one address."""

MINUTE = 60  # seconds
SPANS = {"upload": 60 * MINUTE}
"""In what time these are, where that is not a minute."""

NEXT_CHUNK = 30.0  # seconds for the next piece of a body
WHOLE_BODY = 30.0  # seconds for all of it
WHOLE_UPLOAD = 300.0  # the same, where it is an upload
PROBE_BYTES = 4  # with which git asks whether it may push more than it keeps in memory
MAX_REQUESTS_PER_ADDRESS = 100  # that are answered at once, streams among them
RETRY_SECONDS = 1  # until one of them is likely to be over
KEPT = ("connection", "retry-after")  # headers of a refusal, however it is said
MOST_BUCKETS = 10_000  # addresses that are remembered


@define
class Buckets:
    """Tokens by address and kind: each request takes one, and they come back with time."""

    limits: Mapping[str, int]  # of a minute, or of the span of a kind
    now: Callable[[], float] = monotonic
    _kept: dict[tuple[str, str], tuple[float, float]] = field(factory=dict)

    def wait(self, address: str, kind: str) -> float:
        """Take a token; return 0, or the seconds until there is one again."""
        most = self.limits.get(kind)
        if most is None:
            return 0.0
        if len(self._kept) >= MOST_BUCKETS:
            self._kept.pop(next(iter(self._kept)))  # who was first seen longest ago
        left, last = self._kept.get((address, kind), (float(most), self.now()))
        rate, now = most / SPANS.get(kind, MINUTE), self.now()
        left = min(float(most), left + (now - last) * rate)
        if left < 1:
            return (1 - left) / rate
        self._kept[address, kind] = (left - 1, now)
        return 0.0


def kind_of(scope: Scope) -> str:
    """Return which limit a request falls under."""
    path: str = scope["path"]
    if scope["method"] not in SAFE:
        return "answer"
    if path.startswith("/static/"):
        return "static"
    if path.endswith(("/steps", "/notes")):
        return "steps"
    return "part" if scope["query_string"].startswith(b"part=") else "page"


Renderer = Callable[[str, int, str, Mapping[str, str]], Response]
"""Makes the answer about a failure, of an order's method, the status, what is said, headers."""


class Problem(JSONResponse):
    """What was wrong, as RFC 9457 has it, in one line."""

    media_type = "application/problem+json"

    def __init__(self, status: int, title: str, **more: str | int) -> None:
        super().__init__({"title": title, "status": status, **more}, status)
        self.title = title


def problem(status: int, title: str, **more: str | int) -> Problem:
    """Return what was wrong as RFC 9457 has it, in one line."""
    return Problem(status, title, **more)


def find_renderer(renderers: Mapping[str, Renderer], path: str) -> Renderer | None:
    """Return what makes the answers about failures below a path, where that is none of ours."""
    return next((make for start, make in renderers.items() if path.startswith(start)), None)


class Guard:
    """The middleware; `hosts` are the names by which this server may be called.

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
        self._hosts = {*HERE, *(host.lower() for host in hosts)}
        self._buckets = Buckets(LIMITS if limits is None else limits)
        self._answering: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        upload = self._longest(scope)
        seconds = WHOLE_BODY if upload is None else WHOLE_UPLOAD
        body = Body(receive, upload or LONGEST_BODY, monotonic() + seconds)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                body.answered = True
                headers = MutableHeaders(scope=message)
                for name, value in POLICY.items():
                    headers[name] = value
            await send(message)

        client = find_client(scope)
        refused = self._refused(scope, client)
        with self._counted(client):
            answer = self._app if refused is None else self._render(scope, refused)
            await answer(scope, body.receive, guarded)

    def _render(self, scope: Scope, refused: Problem) -> Response:
        """Return a refusal as whoever asks can read it."""
        render = find_renderer(self._renderers, scope["path"])
        if render is None:
            return refused
        headers = {name: refused.headers[name] for name in KEPT if name in refused.headers}
        return render(scope["method"], refused.status_code, refused.title, headers)

    @contextmanager
    def _counted(self, client: str) -> Iterator[None]:
        """Count a request of a client while it is answered."""
        self._answering[client] += 1
        try:
            yield
        finally:
            self._answering -= Counter([client])  # forgets who has none

    def _longest(self, scope: Scope) -> int | None:
        """Return the bytes that an upload may have; None where this is none."""
        order = f"{scope['method']} {scope['path']}"
        return next((most for one, most in self._uploads.items() if order.startswith(one)), None)

    def _refused(self, scope: Scope, client: str) -> Problem | None:
        """Return the refusal, if there is one."""
        headers = Headers(scope=scope)
        if odd := _find_oddity(scope["path"], headers):
            refusal = problem(400, odd)
            refusal.headers["Connection"] = "close"  # who knows where the next request begins?
            return refusal
        if _host(headers.get("host", "")) not in self._hosts:
            return problem(421, "this server is not called so; its names are given by --host-name")
        if scope["method"] not in SAFE and not _from_here(headers):
            return problem(403, "orders are taken from this site's own pages only")
        longest = self._longest(scope)
        if _declared(headers) > (longest or LONGEST_BODY):
            return problem(413, TOO_LONG.format(longest or LONGEST_BODY))
        if self._answering[client] >= MAX_REQUESTS_PER_ADDRESS:
            return too_many("at once", RETRY_SECONDS)
        kind = "upload" if longest and not _is_probe(headers) else kind_of(scope)
        return too_many(kind, self._buckets.wait(client, kind))


def too_many(kind: str, wait: float) -> Problem | None:
    """Return the refusal of who asks too often, who is to wait for so many seconds; None for 0."""
    if not wait:
        return None
    seconds = math.ceil(wait)
    said = f"too many requests: try again in {seconds} s"
    refusal = problem(429, said, key=kind, retry_after=seconds)
    refusal.headers["Retry-After"] = str(seconds)
    return refusal


@define
class Body:
    """A body as it comes: no longer than is taken, and no slower; what its header says is nothing.

    Where the answer has begun it is too late to say so: then the visitor counts as gone.
    """

    _receive: Receive
    _longest: int  # bytes
    _until: float  # by the monotonic clock
    answered: bool = False
    _size: int = 0
    _whole: bool = False

    async def receive(self) -> Message:
        """Receive the next piece of it, or that the visitor has gone."""
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(
                self._receive(), min(NEXT_CHUNK, self._until - monotonic())
            )
        except TimeoutError:
            return self._refuse(408, "the rest of the body has not come")
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._longest:
            return self._refuse(413, TOO_LONG.format(self._longest))
        return message

    def _refuse(self, status: int, why: str) -> Message:
        if not self.answered:
            raise HTTPException(status, why)
        return {"type": "http.disconnect"}


def _declared(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if re.fullmatch(r"[0-9]{1,18}", said) else sys.maxsize


def _find_oddity(path: str, headers: Headers) -> str:
    """Say why nobody can tell what a request asks for, or where it ends; nothing where that is."""
    if not path.startswith("/"):
        return "the path of a request has to begin with a slash"
    if "transfer-encoding" in headers and "content-length" in headers:
        return "a body has Content-Length or Transfer-Encoding, not both"
    return ""


def _is_probe(headers: Headers) -> bool:
    """Whether an upload is too short to be one."""
    return "content-length" in headers and _declared(headers) <= PROBE_BYTES


def _host(header: str) -> str:
    """Return the name in a Host header, without its port.

    >>> _host("LOCALHOST:8642"), _host("[::1]:80")
    ('localhost', '[::1]')
    """
    return re.sub(r":[0-9]*$", "", header).lower()


def _from_here(headers: Headers) -> bool:
    """Was an order given on one of our own pages, or by a program that is no browser?"""
    if (site := headers.get("sec-fetch-site")) is not None:
        return site in {"same-origin", "none"}
    if (origin := headers.get("origin")) is not None:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    return "cookie" not in headers
