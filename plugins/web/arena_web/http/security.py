"""The security of a server: headers, hosts, origins, bodies, and that limits are kept.

The middleware is plain ASGI, so that nothing comes past it, a stream as little as an error.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena_web.http.clients import ClientCounter, find_client
from arena_web.http.problems import ProblemResponse
from arena_web.http.rate_limits import RATE_LIMITS, SAFE_METHODS, RateLimiter
from arena_web.http.request_bodies import (
    BODY_SECONDS,
    BODY_TOO_LONG,
    MAX_BODY_BYTES,
    UPLOAD_SECONDS,
    BodyLimit,
    has_body,
)

RESPONSE_HEADERS = {
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
    "Vary": "Accept-Encoding",
}
"""The headers of all responses, whatever a page or its compression says under these names."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Names of this machine, which cannot resolve to another one."""

UNKNOWN_HOST = (
    "this server does not answer to the name {0}: start it with --host-name {0} to allow that, or"
    " use one of its own names"
)
FOREIGN_REQUEST = "this request is only accepted from this site's own pages"
PLAIN_HTTP = (
    "; over plain http a browser does not say which page it comes from, unless the site is called"
    " localhost: put a proxy with https in front of the site, and use https"
)
HOST_PATTERN = r"[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]"  # of names that a message repeats
MAX_REQUESTS_PER_ADDRESS = 100  # that are answered at once, streams among them
RETRY_SECONDS = 1  # until one of them is likely to be over


class SecurityMiddleware:
    """The security middleware; `hosts` are the allowed names of this server.

    `uploads` are the bytes that a body may have, by what orders begin with: `PUT /api/v1/hills/`.
    `render` gives a refusal the form that its client can read; by default it is JSON.
    `classify` names the kind of a request, which has the limit of this name.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str] = (),
        limits: Mapping[str, int] | None = None,
        uploads: Mapping[str, int] | None = None,
        render: Callable[[Scope, ProblemResponse], Response] = lambda _, refusal: refusal,
        classify: Callable[[Scope], str] = lambda _: "page",
    ) -> None:
        self._app = app
        self._render = render
        self._classify = classify
        self._uploads = uploads or {}
        self._hosts = {*LOCAL_HOSTS, *(host.lower() for host in hosts)}
        self._buckets = RateLimiter(RATE_LIMITS if limits is None else limits)
        self._answering = ClientCounter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        upload = self._find_upload_limit(scope)
        seconds = BODY_SECONDS if upload is None else UPLOAD_SECONDS
        body = BodyLimit(
            receive, upload or MAX_BODY_BYTES, monotonic() + seconds, whole=not has_body(scope)
        )

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                body.answered = True
                headers = MutableHeaders(scope=message)
                for name, value in RESPONSE_HEADERS.items():
                    headers[name] = value
            elif not body.whole and not message.get("more_body"):
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": "http.response.body"}
            await send(message)

        client = find_client(scope)
        refusal = self._find_refusal(scope, client)
        with self._answering.count(client):
            answer = self._app if refusal is None else self._render(scope, refusal)
            await answer(scope, body.receive, send_with_headers)

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
            refusal = ProblemResponse(400, odd)
            refusal.headers["Connection"] = "close"  # who knows where the next request begins?
            return refusal
        host = _strip_port(headers.get("host", ""))
        if host not in self._hosts:
            example = host if re.fullmatch(HOST_PATTERN, host) else "NAME"
            return ProblemResponse(421, UNKNOWN_HOST.format(example))
        if scope["method"] not in SAFE_METHODS and not _is_same_origin(headers):
            silent = "sec-fetch-site" not in headers and host not in LOCAL_HOSTS
            return ProblemResponse(403, FOREIGN_REQUEST + (PLAIN_HTTP if silent else ""))
        longest = self._find_upload_limit(scope)
        if _read_content_length(headers) > (longest or MAX_BODY_BYTES):
            return ProblemResponse(413, BODY_TOO_LONG.format(longest or MAX_BODY_BYTES))
        if self._answering.has_reached(client, MAX_REQUESTS_PER_ADDRESS):
            return build_rate_refusal("at once", RETRY_SECONDS)
        kind = self._classify(scope)
        return build_rate_refusal(kind, self._buckets.wait(client, kind))


def build_rate_refusal(kind: str, wait: float) -> ProblemResponse | None:
    """Return the refusal of too many requests; None if the wait is 0 seconds."""
    if not wait:
        return None
    seconds = math.ceil(wait)
    title = f"too many requests: try again in {seconds} s"
    refusal = ProblemResponse(429, title, key=kind, retry_after=seconds)
    refusal.headers["Retry-After"] = str(seconds)
    return refusal


def _read_content_length(headers: Headers) -> int:
    header = headers.get("content-length", "0")
    return int(header) if re.fullmatch(r"[0-9]{1,18}", header) else sys.maxsize


def _find_oddity(path: str, headers: Headers) -> str:
    """Return the reason why a request is ambiguous, or ""."""
    if not path.startswith("/"):
        return "the path of a request must begin with a slash"
    if "transfer-encoding" in headers and "content-length" in headers:
        return "send Content-Length or Transfer-Encoding, not both"
    return ""


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
        try:
            netloc = urlsplit(origin).netloc
        except ValueError:  # it is no address, such as `http://[`
            return False
        return netloc.lower() == headers.get("host", "").lower()
    return "cookie" not in headers
