"""A cache of responses, compressed once, by what they depend on."""

from __future__ import annotations

import gzip
from collections.abc import Hashable
from hashlib import sha256

from attrs import frozen
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

MAX_CACHE_BYTES = 64_000_000  # of all cached responses, compressed
COMPRESSION_LEVEL = 6  # 9 takes twice the time for one part in a hundred


@frozen
class CachedResponse:
    """A cached response, compressed."""

    packed: bytes
    kind: str
    cache_control: str  #: what is said of caching it
    tag: str

    @classmethod
    def of(cls, response: Response) -> CachedResponse:
        """Create a cached response from a response."""
        body = bytes(response.body)
        tag = f'W/"{sha256(body).hexdigest()[:16]}"'
        headers = response.headers
        packed = gzip.compress(body, COMPRESSION_LEVEL, mtime=0)
        return cls(packed, headers["content-type"], headers.get("cache-control", "no-cache"), tag)

    def respond(self, request: Request) -> Response:
        """Return the response, compressed if the client accepts that, or 304."""
        headers = {"ETag": self.tag, "Cache-Control": self.cache_control}
        if self.tag in request.headers.get("if-none-match", "").split(", "):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.kind
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.packed), headers=headers)
        return Response(self.packed, headers={**headers, "Content-Encoding": "gzip"})


class ResponseCache:
    """An LRU cache of responses, by what they depend on."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._responses = LRUCache[Hashable, CachedResponse](max_bytes, measure_bytes)

    @property
    def size(self) -> int:
        """The size of all cached responses in bytes, compressed."""
        return int(self._responses.currsize)

    def get(self, key: Hashable) -> CachedResponse | None:
        """Return a cached response, or None."""
        return self._responses.get(key)

    def put(self, key: Hashable, body: CachedResponse) -> None:
        """Store a response, and evict others if there is no room; a too large one is not stored."""
        if measure_bytes(body) <= self._responses.maxsize:
            self._responses[key] = body


def measure_bytes(response: CachedResponse) -> int:
    """Return the size of a response in bytes, compressed."""
    return len(response.packed)
