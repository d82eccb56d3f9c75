"""What stands before every page: headers, known hosts, no orders from elsewhere, limits.

It is plain ASGI, so that nothing comes past it, a stream as little as an error.
"""

from __future__ import annotations

import math
import re
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

LONGEST_BODY = 8192  # bytes
SAFE = ("GET", "HEAD")
LIMITS = {"page": 120, "part": 240, "steps": 60, "answer": 120}
"""How many requests of a kind an address may make in a minute, and at once."""

MINUTE = 60  # seconds
MOST_BUCKETS = 10_000  # addresses that are remembered


@define
class Buckets:
    """Tokens by address and kind: each request takes one, and they come back with time."""

    limits: Mapping[str, int]  # of a minute, by kind
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
        rate, now = most / MINUTE, self.now()
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
    """The middleware; `hosts` are the names by which this server may be called."""

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str] = (), limits: Mapping[str, int] | None = None
    ) -> None:
        self._app = app
        self._hosts = {*HERE, *(host.lower() for host in hosts)}
        self._buckets = Buckets(LIMITS if limits is None else limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in POLICY.items():
                    headers[name] = value
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, counted(receive), guarded)

    def _refused(self, scope: Scope) -> Response | None:
        """Return the refusal, if there is one."""
        headers = Headers(scope=scope)
        if _host(headers.get("host", "")) not in self._hosts:
            return problem(421, "this server is not called so; its names are given by --host-name")
        if scope["method"] not in SAFE and not _from_here(headers):
            return problem(403, "orders are taken from this site's own pages only")
        if _declared(headers) > LONGEST_BODY:
            return _too_long()
        client = scope["client"][0] if scope.get("client") else ""
        kind = kind_of(scope)
        if wait := self._buckets.wait(client, kind):
            seconds = math.ceil(wait)
            refusal = problem(
                429, f"too many requests: again in {seconds} s", key=kind, retry_after=seconds
            )
            refusal.headers["Retry-After"] = str(seconds)
            return refusal
        return None


def counted(receive: Receive) -> Receive:
    """Receive a body, but no longer one than is taken; what its header says counts nothing."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LONGEST_BODY:
            raise HTTPException(413)
        return message

    return limited


def _too_long() -> Response:
    return problem(413, f"a body has at most {LONGEST_BODY} bytes")


def _declared(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if re.fullmatch(r"[0-9]{1,18}", said) else LONGEST_BODY + 1


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
