"""Folders of transcripts as sources of pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from pathlib import Path
from typing import Self, TypeVar

from anyio import to_thread
from attrs import define, field

from arena import UserError
from arena.records import (
    SUFFIX,
    Transcript,
    UnreadableTranscriptError,
    parse_lines,
    read_transcript,
)
from arena.wires import to_printable
from arena_web.http.refusals import NotFoundError
from arena_web.matches.redaction import redact_transcript
from arena_web.matches.summaries import MatchSummary, summarize_transcript
from arena_web.tournaments.views import STANDINGS, ViewParts

T = TypeVar("T")
MAX_HEADER_LENGTH = 100_000  # characters
MAX_CACHED_TRANSCRIPTS = 64


@define(eq=False)
class TranscriptFolder:
    """Transcripts in a folder, which is listed anew each time."""

    kind = "recorded matches"  #: as the list of all sources calls it
    hill_path = ""  #: no bots are sent there
    about = None  #: no host says anything of it
    name: str
    _where: Path  # a file, or a folder
    _read: Callable[[Path, tuple[int, int]], Transcript] = field(
        init=False, factory=lambda: lru_cache(MAX_CACHED_TRANSCRIPTS)(_read_redacted)
    )

    @property
    def title(self) -> str:
        """The title of its pages."""
        return self.name

    async def load_view(self, _: ViewParts = STANDINGS) -> Self:
        """Return the view of the source as it is now: the folder itself."""
        return self

    def list_files(self) -> dict[str, Path]:
        """Return the files by their names without the suffix, in order."""
        if not self._where.is_dir():
            return {self._where.stem: self._where}
        paths = {path.stem: path for path in self._where.glob(f"*{SUFFIX}")}
        return dict(sorted(paths.items()))  # by name: "a-2.jsonl" sorts before "a.jsonl"

    async def count_files(self) -> int:
        """Return the number of files, readable or not."""
        return await to_thread.run_sync(lambda: len(self.list_files()))

    def _find_file(self, key: str) -> Path | None:
        """Return the file with a name, whether or not it is there, without a look at others."""
        if not self._where.is_dir():
            return self._where if key == self._where.stem else None
        path = self._where / f"{key}{SUFFIX}"
        return path if path.parent == self._where else None

    async def summarize_matches(
        self, after: str, limit: int, first: int = 1, text: str = ""
    ) -> list[MatchSummary]:
        """Return matches after this name, or from the `first` one on, skipping unreadable ones.

        With a `text` they are those that have it in their own or a player's name.
        """
        return await to_thread.run_sync(partial(self._summarize_matches, after, limit, first, text))

    def _summarize_matches(
        self, after: str, limit: int, first: int, text: str
    ) -> list[MatchSummary]:
        matches: list[MatchSummary] = []
        for number, (key, path) in enumerate(self.list_files().items(), 1):
            if key > after and number >= first and len(matches) < limit:
                if text and not _is_named(path, text.casefold()):
                    continue
                try:
                    matches.append(
                        summarize_transcript(self._read(path, _get_file_stamp(path)), key)
                    )
                except UserError:
                    continue
        return matches

    async def find_match(self, key: str) -> MatchSummary:
        """Return a match; raise 404 if there is none."""
        return summarize_transcript(await self.load_transcript(key), key)

    def get_transcript_key(self, key: str) -> Hashable:
        """Return the time and the size of a transcript, which change with it."""
        path = self._find_file(key)
        return _get_file_stamp(path) if path else (0, 0)

    async def load_transcript(self, key: str) -> Transcript:
        """Return the public transcript of a match; raise 404 if there is none."""
        return await self.load_with(key, lambda transcript: transcript)

    async def load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await to_thread.run_sync(self._load_with, key, make)

    def _load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        path = self._find_file(key)
        if path is None:
            raise NotFoundError
        try:
            transcript = self._read(path, _get_file_stamp(path))
        except UnreadableTranscriptError:
            raise NotFoundError from None
        return make(transcript)


def _is_named(path: Path, text: str) -> bool:
    """Return whether a transcript has a text in its own or a player's name, by its first line."""
    try:
        with path.open(encoding="utf-8") as file:
            names = parse_lines([file.readline(MAX_HEADER_LENGTH).rstrip("\n")]).header.names
    except (OSError, ValueError, UserError):
        return False
    return any(text in to_printable(name).casefold() for name in (path.stem, *names))


def _get_file_stamp(path: Path) -> tuple[int, int]:
    try:
        now = path.stat()
    except (OSError, ValueError):  # or no path at all
        return 0, 0
    return now.st_mtime_ns, now.st_size


def _read_redacted(path: Path, _: tuple[int, int]) -> Transcript:
    """Return the public transcript of a file that has this stamp."""
    return redact_transcript(read_transcript(path))
