"""A bot's matches as one file: transcripts in a zip file that is sent while it is made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from io import RawIOBase
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from anyio import to_thread

from arena.records import SUFFIX
from arena.rules import Unknown
from arena.tournament import Filter, Store
from arena_web.embargo import released
from arena_web.served import Contest, keyed

CHUNK = 50  # matches
Key = tuple[int, int]


class Sink(RawIOBase):
    """Keeps what is written until it is taken; it cannot be sought, so a zip file streams."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Keep some more."""
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """Return what was written since this was asked last."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def zipped(contest: Contest, bot: str) -> AsyncIterator[bytes]:
    """Yield a zip file of a bot's transcripts, those that may be seen."""
    sink, after = Sink(), None
    with ZipFile(sink, "w", ZIP_DEFLATED) as file:
        while True:
            texts, after = await contest.ask_in_turn(partial(_some, bot=bot, after=after))
            for key, text in texts:
                await to_thread.run_sync(file.writestr, f"{bot}/{key}{SUFFIX}", text)
            yield sink.taken()
            if after is None:
                break
    yield sink.taken()


def _some(store: Store, *, bot: str, after: Key | None) -> tuple[list[tuple[str, str]], Key | None]:
    """Return the next transcripts with their keys, and behind which match to go on."""
    try:
        found = [*store.matches(Filter(bot=bot, limit=CHUNK, after=after))]
    except Unknown:  # it has not come in yet
        return [], None
    keys = [(one["match"], keyed(one["match"])) for one in found]
    known = ((name, released(store, *key)) for name, key in keys)
    texts = [(name, one.text) for name, one in known if one]
    return texts, keys[-1][1] if len(found) == CHUNK else None
