"""Transcripts in files, as a source of pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from attrs import define
from starlette.exceptions import HTTPException

from arena import UserError
from arena.extend import SUFFIX, Transcript, UnreadableTranscriptError, read_transcript
from arena_web.sources.visibility import MatchSummary, redact_transcript, summarize_transcript

T = TypeVar("T")


@define(eq=False)
class TranscriptFolder:
    """Transcripts in a folder, which is listed anew each time."""

    name: str
    _where: Path  # a file, or a folder

    @property
    def title(self) -> str:
        """The title of its pages."""
        return self.name

    def list_files(self) -> dict[str, Path]:
        """Return the files by their names without the suffix, in order."""
        if not self._where.is_dir():
            return {self._where.stem: self._where}
        return {path.stem: path for path in sorted(self._where.glob(f"*{SUFFIX}"))}

    async def list_matches(self, after: str, most: int) -> list[MatchSummary]:
        """Return matches after this name, skipping unreadable ones."""
        return await to_thread.run_sync(partial(self._list_matches, after, most))

    def _list_matches(self, after: str, most: int) -> list[MatchSummary]:
        found: list[MatchSummary] = []
        for key, path in self.list_files().items():
            if key > after and len(found) < most:
                try:
                    found.append(summarize_transcript(_read(path, _stamp(path)), key))
                except UserError:
                    continue
        return found

    async def find_match(self, key: str) -> MatchSummary:
        """Return a match; raise 404 if there is none."""
        return summarize_transcript(await self.load_transcript(key), key)

    def stamp(self, key: str) -> tuple[int, int]:
        """Return the time and the size of a transcript, which change with it."""
        path = self.list_files().get(key)
        return _stamp(path) if path else (0, 0)

    async def load_transcript(self, key: str) -> Transcript:
        """Return the public transcript of a match; raise 404 if there is none."""
        return await self.load_with(key, return_transcript)

    async def load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await to_thread.run_sync(self._load_with, key, make)

    def _load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        path = self.list_files().get(key)
        if path is None:
            raise HTTPException(404)
        try:
            found = _read(path, _stamp(path))
        except UnreadableTranscriptError:
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
    return redact_transcript(read_transcript(path))


def return_transcript(transcript: Transcript) -> Transcript:
    """Return a transcript unchanged."""
    return transcript
