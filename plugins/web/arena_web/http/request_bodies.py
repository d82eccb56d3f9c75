"""Request bodies, with limits on their size and on the time that they take."""

from __future__ import annotations

import asyncio
from time import monotonic

from attrs import define
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope

BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})  # of a request that has one
MAX_BODY_BYTES = 8192  # of all that are no uploads
BODY_TOO_LONG = "a request body may have at most {} bytes"
CHUNK_SECONDS = 30.0  # seconds for the next piece of a body
BODY_SECONDS = 30.0  # seconds for all of it
UPLOAD_SECONDS = 300.0  # the same, where it is an upload
MAX_DISCARDED_BYTES = 32 << 20  # bytes of a body that are still read after the answer
DISCARD_SECONDS = 60.0  # seconds for these


def has_body(scope: Scope) -> bool:
    """Whether a request has a body, by its header."""
    return any(name in BODY_HEADERS for name, _ in scope["headers"])


@define
class BodyLimit:
    """A request body with limits on its size and time, whatever its header says.

    Where the answer has begun it is too late to say so: then the visitor counts as gone.
    """

    _receive: Receive
    _longest: int  # bytes
    _until: float  # by the monotonic clock
    whole: bool = False  #: whether all of it was received
    answered: bool = False  #: whether the answer has begun
    _size: int = 0

    async def receive(self) -> Message:
        """Receive the next part of the body, or a disconnect."""
        if self.whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(
                self._receive(), min(CHUNK_SECONDS, self._until - monotonic())
            )
        except TimeoutError:
            return self._refuse(408, "the rest of the request body did not arrive in time")
        self._size += len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self._size > self._longest:
            return self._refuse(413, BODY_TOO_LONG.format(self._longest))
        return message

    async def discard(self) -> None:
        """Read what is left of the body after the answer, up to a limit.

        To close a connection with unread data resets it, and a client that sends all of its body
        before it reads would lose the answer. A body may also be endless.
        """
        self._longest = self._size + MAX_DISCARDED_BYTES
        self._until = min(self._until, monotonic() + DISCARD_SECONDS)
        while not self.whole and (await self.receive())["type"] == "http.request":
            pass

    def _refuse(self, status: int, why: str) -> Message:
        if not self.answered:
            raise HTTPException(status, why)
        return {"type": "http.disconnect"}
