"""What stands before every page: headers, known hosts, no orders from elsewhere, limits.

It is plain ASGI, so that nothing comes past it, a stream as little as an error.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from urllib.parse import urlsplit

from attrs import define, field
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
LIMITS = {"page": 120, "part": 240, "steps": 60, "answer": 120, "upload": 10}
"""How many requests of a kind an address may make in a minute, and at once."""

MINUTE = 60  # seconds
SPANS = {"upload": 60 * MINUTE}
"""In what time these are, where that is not a minute."""

NEXT_CHUNK = 30.0  # seconds for the next piece of a body
WHOLE_BODY = 300.0  # seconds for all of it
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


def problem(status: int, title: str, **more: str | int) -> Response:
    """Return what was wrong as RFC 9457 has it, in one line."""
    body = {"title": title, "status": status, **more}
    return JSONResponse(body, status, media_type="application/problem+json")


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
    ) -> None:
        self._app = app
        self._uploads = uploads or {}
        self._hosts = {*HERE, *(host.lower() for host in hosts)}
        self._buckets = Buckets(LIMITS if limits is None else limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        body = Body(receive, self._longest(scope) or LONGEST_BODY)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                body.answered = True
                headers = MutableHeaders(scope=message)
                for name, value in POLICY.items():
                    headers[name] = value
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, body.receive, guarded)

    def _longest(self, scope: Scope) -> int | None:
        """Return the bytes that an upload may have; None where this is none."""
        order = f"{scope['method']} {scope['path']}"
        return next((most for one, most in self._uploads.items() if order.startswith(one)), None)

    def _refused(self, scope: Scope) -> Response | None:
        """Return the refusal, if there is one."""
        headers = Headers(scope=scope)
        if _host(headers.get("host", "")) not in self._hosts:
            return problem(421, "this server is not called so; its names are given by --host-name")
        if scope["method"] not in SAFE and not _from_here(headers):
            return problem(403, "orders are taken from this site's own pages only")
        longest = self._longest(scope)
        if _declared(headers) > (longest or LONGEST_BODY):
            return problem(413, TOO_LONG.format(longest or LONGEST_BODY))
        client = scope["client"][0] if scope.get("client") else ""
        kind = "upload" if longest else kind_of(scope)
        return too_many(kind, self._buckets.wait(client, kind))


def too_many(kind: str, wait: float) -> Response | None:
    """Return the refusal of who asks too often, who is to wait for so many seconds; None for 0."""
    if not wait:
        return None
    seconds = math.ceil(wait)
    said = f"too many requests: again in {seconds} s"
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
    answered: bool = False
    _size: int = 0
    _until: float = field(factory=lambda: monotonic() + WHOLE_BODY)
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
