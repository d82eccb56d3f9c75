"""The transcripts of a bot's matches whose deals are over, as a zip file that is streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from io import RawIOBase
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from anyio import to_thread
from starlette.responses import Response, StreamingResponse

from arena.records import SUFFIX
from arena.rules import UnknownNameError
from arena.tournament.deals import Key
from arena.tournament.store import MatchFilter, Store
from arena_hill.web.page_context import AuthorPage
from arena_web.addresses import build_attachment_headers
from arena_web.matches.visibility import load_public_transcript
from arena_web.tournaments.sources import TournamentSource

CHUNK_MATCHES = 50  # matches


async def download_matches(context: AuthorPage) -> Response:
    """Return the transcripts of a bot's matches whose deals are over, as a zip file."""
    bot = await context.find_own_bot()
    headers = {**build_attachment_headers(f"{bot.name}-matches.zip"), "Cache-Control": "no-store"}
    chunks = stream_zip(context.served.tournament, bot.public_name)
    return StreamingResponse(chunks, media_type="application/zip", headers=headers)


class ZipSink(RawIOBase):
    """A sink without seek, so that `zipfile` streams; it keeps bytes until they are taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Return True: the sink can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Append bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Return the bytes that were written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def stream_zip(tournament: TournamentSource, bot: str) -> AsyncIterator[bytes]:
    """Yield a zip file of a bot's public transcripts."""
    sink, after = ZipSink(), None
    with ZipFile(sink, "w", ZIP_DEFLATED) as file:
        while True:
            texts, after = await tournament.ask_in_turn(partial(_read_chunk, bot=bot, after=after))
            for key, text in texts:
                await to_thread.run_sync(file.writestr, f"{bot}/{key}{SUFFIX}", text)
            yield sink.take()
            if after is None:
                break
    yield sink.take()


def _read_chunk(
    store: Store, *, bot: str, after: Key | None
) -> tuple[list[tuple[str, str]], Key | None]:
    """Return the next transcripts with their keys, and the match to continue after."""
    try:
        matches = [
            *store.matches.find_matches(MatchFilter(bot=bot, limit=CHUNK_MATCHES, after=after))
        ]
    except UnknownNameError:  # it has not come in yet
        return [], None
    transcripts = ((match.match, load_public_transcript(store, *match.key)) for match in matches)
    texts = [(name, transcript.text) for name, transcript in transcripts if transcript]
    return texts, matches[-1].key if len(matches) == CHUNK_MATCHES else None
