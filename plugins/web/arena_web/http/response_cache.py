"""Answers that are kept as they are sent: what costs much to make, and seldom changes."""

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
    """An answer, compressed."""

    packed: bytes
    kind: str
    cache_control: str  # what is said of caching it
    tag: str

    @classmethod
    def of(cls, made: Response) -> CachedResponse:
        """Take an answer that was made."""
        body = bytes(made.body)
        tag = f'W/"{sha256(body).hexdigest()[:16]}"'
        headers = made.headers
        packed = gzip.compress(body, COMPRESSION_LEVEL, mtime=0)
        return cls(packed, headers["content-type"], headers.get("cache-control", "no-cache"), tag)

    def respond(self, request: Request) -> Response:
        """Return it as this browser can take it, or say that it has it already."""
        headers = {"ETag": self.tag, "Cache-Control": self.cache_control, "Vary": "Accept-Encoding"}
        if self.tag in request.headers.get("if-none-match", "").split(", "):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.kind
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.packed), headers=headers)
        return Response(self.packed, headers={**headers, "Content-Encoding": "gzip"})


@define
class ResponseCache:
    """The latest answers by what they depend on; those not asked for the longest go first."""

    max_bytes: int = MAX_CACHE_BYTES
    size: int = 0
    _kept: OrderedDict[Hashable, CachedResponse] = field(factory=OrderedDict)

    def get(self, key: Hashable) -> CachedResponse | None:
        """Return an answer, if it is kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Hashable, body: CachedResponse) -> None:
        """Keep an answer, and let others go that have no room beside it."""
        before = self._kept.pop(key, None)
        self.size += len(body.packed) - (len(before.packed) if before else 0)
        self._kept[key] = body
        while self.size > self.max_bytes:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone.packed)
