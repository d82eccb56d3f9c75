"""A folder of transcripts, or one of them, that is served: files, which are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from attrs import define
from starlette.exceptions import HTTPException

from arena.records import SUFFIX, Transcript, Unreadable, read
from arena.rules import UserError
from arena_web.embargo import Shown, published, recorded

T = TypeVar("T")


@define(eq=False)
class Shelf:
    """Transcripts that lie in files; they are looked for again each time."""

    name: str
    _where: Path  # a file, or a folder

    @property
    def title(self) -> str:
        """What its pages call it."""
        return self.name

    def files(self) -> dict[str, Path]:
        """Return them by their names without the ending, in order."""
        if not self._where.is_dir():
            return {self._where.stem: self._where}
        return {path.stem: path for path in sorted(self._where.glob(f"*{SUFFIX}"))}

    async def matches(self, after: str, most: int) -> list[Shown]:
        """Return matches that come behind this name; those that cannot be read are passed over."""
        return await to_thread.run_sync(partial(self._matches, after, most))

    def _matches(self, after: str, most: int) -> list[Shown]:
        found: list[Shown] = []
        for key, path in self.files().items():
            if key > after and len(found) < most:
                try:
                    found.append(recorded(_read(path, _stamp(path)), key))
                except UserError:
                    continue
        return found

    async def match(self, key: str) -> Shown:
        """Return a match; 404 where there is none."""
        return recorded(await self.transcript(key), key)

    def stamp(self, key: str) -> tuple[int, int]:
        """Return the time and size of a transcript: one of them changes with it."""
        path = self.files().get(key)
        return _stamp(path) if path else (0, 0)

    async def transcript(self, key: str) -> Transcript:
        """Return a transcript as it may go out; 404 where there is none."""
        return await self.made(key, as_it_is)

    async def made(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await to_thread.run_sync(self._made, key, make)

    def _made(self, key: str, make: Callable[[Transcript], T]) -> T:
        path = self.files().get(key)
        if path is None:
            raise HTTPException(404)
        try:
            found = _read(path, _stamp(path))
        except Unreadable:
            raise HTTPException(404) from None
        return make(found)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        now = path.stat()
    except OSError:
        return 0, 0
    return now.st_mtime_ns, now.st_size


@lru_cache(maxsize=64)
def _read(path: Path, _stamp: tuple[int, int]) -> Transcript:
    return published(read(path))


def as_it_is(transcript: Transcript) -> Transcript:
    """Return a transcript, of which nothing else is to be made."""
    return transcript
