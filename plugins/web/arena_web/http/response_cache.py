"""A cache of complete responses that are expensive and rarely change."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Hashable
from hashlib import sha256

from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import Response

MAX_CACHE_BYTES = 64_000_000  # bytes, compressed, of all that is kept
COMPRESSION_LEVEL = 6  # of compression: 9 takes twice the time for one part in a hundred


@frozen
class CachedResponse:
    """A cached response, compressed."""

    packed: bytes
    kind: str
    cache_control: str  # what is said of caching it
    tag: str

    @classmethod
    def of(cls, made: Response) -> CachedResponse:
        """Create a cached response from a response."""
        body = bytes(made.body)
        tag = f'W/"{sha256(body).hexdigest()[:16]}"'
        headers = made.headers
        packed = gzip.compress(body, COMPRESSION_LEVEL, mtime=0)
        return cls(packed, headers["content-type"], headers.get("cache-control", "no-cache"), tag)

    def respond(self, request: Request) -> Response:
        """Return the response, compressed if the client accepts that, or 304."""
        headers = {"ETag": self.tag, "Cache-Control": self.cache_control, "Vary": "Accept-Encoding"}
        if self.tag in request.headers.get("if-none-match", "").split(", "):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.kind
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.packed), headers=headers)
        return Response(self.packed, headers={**headers, "Content-Encoding": "gzip"})


@define
class ResponseCache:
    """An LRU cache of responses, by what they depend on."""

    max_bytes: int = MAX_CACHE_BYTES
    size: int = 0
    _kept: OrderedDict[Hashable, CachedResponse] = field(factory=OrderedDict)

    def get(self, key: Hashable) -> CachedResponse | None:
        """Return a cached response, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Hashable, body: CachedResponse) -> None:
        """Store a response, and evict others if there is no room."""
        before = self._kept.pop(key, None)
        self.size += len(body.packed) - (len(before.packed) if before else 0)
        self._kept[key] = body
        while self.size > self.max_bytes:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone.packed)
