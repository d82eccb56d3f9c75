"""Streams of events as a test reads them, in an event loop of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from attrs import field, frozen

from arena_web.protocol.json_format import INLINE
from arena_web.protocol.messages import Message

Event = tuple[int, str, Any]  # number, name, data
LONG = 120  # seconds, after which a test has failed


def build_message(event: str, content: Any) -> Message:
    """Return a message of any name, for tests of how messages are sent."""

    @frozen
    class AnyMessage:
        content: Any = field(metadata=INLINE)
        event: ClassVar[str]

    AnyMessage.event = event
    return AnyMessage(content)


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test in a loop and a thread of its own: a browser's loop may be there already."""

    async def limited() -> None:
        await asyncio.wait_for(test(), LONG)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, limited()).result()


def parse_events(text: bytes) -> list[Event]:
    """Return the numbered events of a piece of a stream."""
    found = []
    for block in text.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "id" in lines:
            found.append((int(lines["id"]), lines["event"], json.loads(lines["data"])))
    return found


async def collect_events(stream: AsyncIterator[bytes]) -> list[Event]:
    """Return all that a stream brings until it ends."""
    return [event async for chunk in stream for event in parse_events(chunk)]
