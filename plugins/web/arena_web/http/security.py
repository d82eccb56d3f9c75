"""The security of a server: who a client is, limits of an address, headers, hosts, origins.

The middleware is plain ASGI, so that nothing comes past it, a stream as little as an error.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from time import monotonic
from urllib.parse import urlsplit

from attrs import define, field, frozen
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Networks of clients, by which all limits per address count.
#
# A subscriber of IPv6 has a /64 of addresses at least, so that is one client. A site may have a
# /48: 65,536 clients more for the asking. So that counts, too, and may have as much as a few
# clients.

IPV6_SHARES = {64: 1, 48: 4}
"""The networks of an IPv6 address by the bits of their prefix, each with the number of clients as
which it counts."""

FREE_PART = 3  # a client may have a third of the places that are free
MAX_ADDRESS_LENGTH = 64  # characters of what is no address, which only a proxy could have said


@lru_cache(4096)
def find_networks(address: str) -> Mapping[str, int]:
    """Return the networks of a client's address, with the number of clients as which each counts.

    What is no IP address, such as the name of an author, counts by itself.

    >>> find_networks("203.0.113.5"), find_networks("::ffff:203.0.113.5")
    ({'203.0.113.5': 1}, {'203.0.113.5': 1})
    >>> find_networks("2001:db8:1:2:3::4")
    {'2001:db8:1:2::/64': 1, '2001:db8:1::/48': 4}
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return {address[:MAX_ADDRESS_LENGTH]: 1}
    if isinstance(found, IPv4Address):
        return {str(found): 1}
    if found.ipv4_mapped:
        return {str(found.ipv4_mapped): 1}
    return {
        str(ip_network((found, bits), strict=False)): share for bits, share in IPV6_SHARES.items()
    }


def find_network(address: str) -> str:
    """Return the narrowest network of a client's address.

    >>> find_network("2001:db8:1:2:3::4"), find_network("fe80::1%eth0")
    ('2001:db8:1:2::/64', 'fe80::/64')
    """
    return next(iter(find_networks(address)))


def find_client(scope: Scope) -> str:
    """Return the address of a request's client, or "" if it is unknown."""
    return str(scope["client"][0]) if scope.get("client") else ""


def compute_share(free: int, most: int) -> int:
    """Return how many places a client may have where so many are free; at most `most`.

    The fewer are free, the fewer a client may have, but one at least. So a few clients never take
    the last ones.

    >>> compute_share(500, 50), compute_share(90, 50), compute_share(1, 50)
    (50, 30, 1)
    """
    return max(1, min(most, free // FREE_PART))


@define
class ClientCounter:
    """Counts what clients have at once, such as streams, by their networks."""

    total: int = field(init=False, default=0)  #: of all clients
    _counts: Counter[str] = field(init=False, factory=Counter)

    def has_reached(self, address: str, most: int) -> bool:
        """Whether the client of this address has as much as a client may have."""
        return any(
            self._counts[network] >= most * share
            for network, share in find_networks(address).items()
        )

    @contextmanager
    def count(self, address: str) -> Iterator[None]:
        """Count one more within the context."""
        networks = find_networks(address)
        self.total += 1
        self._counts.update(networks.keys())
        try:
            yield
        finally:
            self.total -= 1
            self._counts -= Counter(networks.keys())  # forgets who has none


@frozen
class TrustedProxies:
    """The addresses or networks of trusted proxies; `*` is any address."""

    addresses: Iterable[str] = ()

    def __contains__(self, address: str) -> bool:
        """Whether an address is a trusted proxy's."""
        return any(_covers(trusted, address) for trusted in self.addresses)


def _covers(trusted: str, address: str) -> bool:
    try:
        network: IPv4Network | IPv6Network = ip_network(trusted)
        return ip_address(address) in network
    except ValueError:
        return trusted in {"*", address}


# Rate limits: how many requests of a kind an address may make in a span of time.

RATE_LIMITS = {"page": 300, "part": 1200, "steps": 300, "answer": 600}
"""How many requests of a kind an address may make in a minute, and at once: a whole course may sit
behind one address."""

MINUTE_SECONDS = 60  # seconds
MAX_BUCKETS = 10_000  # addresses that are remembered
SAFE_METHODS = ("GET", "HEAD")


@define
class RateLimiter:
    """Token buckets by client and kind of request."""

    limits: Mapping[str, int]  # of a span, by kind
    now: Callable[[], float] = monotonic
    span_seconds: float = MINUTE_SECONDS
    _kept: dict[tuple[str, str], tuple[float, float]] = field(factory=dict)

    def wait(self, client: str, kind: str) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        most = self.limits.get(kind)
        if most is None:
            return 0.0
        now, wait, left = self.now(), 0.0, {}
        for network, share in find_networks(client).items():
            full = float(most * share)
            rate = full / self.span_seconds
            before, last = self._kept.get((network, kind), (full, now))
            left[network] = min(full, before + (now - last) * rate)
            wait = max(wait, (1 - left[network]) / rate)
        if wait > 0:
            return wait
        for network, tokens in left.items():
            self._keep((network, kind), (tokens - 1, now))
        return 0.0

    def give_back(self, client: str, kind: str) -> None:
        """Give back a token that was taken for what did not come about."""
        for network in find_networks(client):
            if found := self._kept.get((network, kind)):
                tokens, last = found
                self._kept[network, kind] = (tokens + 1, last)

    def _keep(self, key: tuple[str, str], bucket: tuple[float, float]) -> None:
        if key not in self._kept and len(self._kept) >= MAX_BUCKETS:
            self._kept.pop(next(iter(self._kept)))  # who was first seen longest ago
        self._kept[key] = bucket


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
MAX_BODY_BYTES = 8192  # bytes, of all that are no uploads
BODY_TOO_LONG = "a request body may have at most {} bytes"
CHUNK_SECONDS = 30.0  # seconds for the next piece of a body
BODY_SECONDS = 30.0  # seconds for all of it
UPLOAD_SECONDS = 300.0  # the same, where it is an upload
MAX_REQUESTS_PER_ADDRESS = 100  # that are answered at once, streams among them
RETRY_SECONDS = 1  # until one of them is likely to be over


class ProblemResponse(JSONResponse):
    """A problem response (RFC 9457) in one line."""

    media_type = "application/problem+json"

    def __init__(self, status: int, title: str, **more: str | int) -> None:
        super().__init__({"title": title, "status": status, **more}, status)
        self.title = title


def build_problem(status: int, title: str, **more: str | int) -> ProblemResponse:
    """Return an error response as in RFC 9457."""
    return ProblemResponse(status, title, **more)


class SecurityMiddleware:
    """The security middleware; `hosts` are the allowed names of this server.

    `uploads` are the bytes that a body may have, by what orders begin with: `PUT /api/v1/hills/`.
    `render` gives a refusal the form that its client can read; by default it is JSON.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = (),
        limits: Mapping[str, int] | None = None,
        uploads: Mapping[str, int] | None = None,
        render: Callable[[Scope, ProblemResponse], Response] = lambda _, refused: refused,
    ) -> None:
        self._app = app
        self._render = render
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
        with self._answering.count(client):
            answer = self._app if refused is None else self._render(scope, refused)
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
            refusal = build_problem(400, odd)
            refusal.headers["Connection"] = "close"  # who knows where the next request begins?
            return refusal
        host = _strip_port(headers.get("host", ""))
        if host not in self._hosts:
            known = host if re.fullmatch(HOST_PATTERN, host) else "NAME"
            return build_problem(421, UNKNOWN_HOST.format(known))
        if scope["method"] not in SAFE_METHODS and not _is_same_origin(headers):
            silent = "sec-fetch-site" not in headers and host not in LOCAL_HOSTS
            return build_problem(403, FOREIGN_REQUEST + (PLAIN_HTTP if silent else ""))
        longest = self._find_upload_limit(scope)
        if _read_content_length(headers) > (longest or MAX_BODY_BYTES):
            return build_problem(413, BODY_TOO_LONG.format(longest or MAX_BODY_BYTES))
        if self._answering.has_reached(client, MAX_REQUESTS_PER_ADDRESS):
            return build_rate_refusal("at once", RETRY_SECONDS)
        kind = classify(scope)
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
