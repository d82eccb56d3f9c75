"""Recorded matches: their steps as JSON, and their transcripts as files."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from starlette.datastructures import QueryParams
from starlette.responses import JSONResponse, Response

from arena import Seat
from arena.records import SUFFIX, Spectator, Transcript
from arena_web.addresses import build_attachment_headers
from arena_web.http.refusals import NotFoundError, refuse_with
from arena_web.matches.replay_steps import build_replay
from arena_web.pages.page_query import PageQuery
from arena_web.protocol.json_format import to_json
from arena_web.sources import MatchView


@frozen
class RecordedMatch:
    """A match that is over, for one of its readers, who may see all of it."""

    transcript: Transcript
    names: Sequence[str] = ()  #: of players, as people read them; empty for the transcript's
    reader: Seat | None = None  #: the seat of who reads it; None for somebody else

    def build_steps(self, eye: str) -> Response:
        """Return its steps through an eye as JSON; this takes a while."""
        with refuse_with(NotFoundError):  # no such eye, a game not installed, a broken file
            replay = build_replay(self.transcript, eye, self.names or None, weighed=True)
        headers = {"Cache-Control": "no-cache"}  # a name may be hidden, or the match replayed
        return JSONResponse(to_json(replay), headers=headers)

    def build_file(self, name: str = "") -> Response:
        """Return its transcript as a file for `arena verify`, called like the match by default."""
        headers = build_attachment_headers(f"{name or self.transcript.header.match}{SUFFIX}")
        return Response(self.transcript.text, media_type="application/jsonl", headers=headers)


def find_eye(query: PageQuery | QueryParams) -> str:
    """Return the eye that a query asks for: without one that which sees all."""
    return query.get("eye", Spectator.ALL)


async def get_steps(source: MatchView, query: PageQuery) -> Response:
    """Return the steps of a match in one view, as JSON."""
    eye = find_eye(query)
    return await source.load_with(
        query.path["key"], lambda transcript: RecordedMatch(transcript).build_steps(eye)
    )


async def download_transcript(source: MatchView, query: PageQuery) -> Response:
    """Return a transcript as a file for `arena verify`."""
    key = query.path["key"]
    match = RecordedMatch(await source.load_transcript(key))
    return match.build_file(f"{source.name}-{key}")
