"""Replays of matches as JSON, and transcripts as files."""

from __future__ import annotations

from functools import partial

from starlette.responses import JSONResponse, Response

from arena import UserError
from arena.records import SUFFIX, Spectator, Transcript
from arena_web.addresses import build_attachment_headers
from arena_web.http.refusals import NotFoundError
from arena_web.matches.replay_steps import build_replay
from arena_web.pages.page_query import PageQuery
from arena_web.protocol.json_format import to_json
from arena_web.sources import MatchView


async def get_steps(source: MatchView, query: PageQuery) -> Response:
    """Return the steps of a match in one view, as JSON."""
    eye = query.get("eye", Spectator.ALL)
    return await source.load_with(query.path["key"], partial(_build_steps, eye=eye))


def _build_steps(transcript: Transcript, eye: str) -> Response:
    try:
        replay = build_replay(transcript, eye, weighed=True)  # who may see one eye may see all
    except UserError:  # no such eye, a game that is not installed, a file that is broken
        raise NotFoundError from None
    headers = {"Cache-Control": "no-cache"}  # a name may be hidden, or the match replayed
    return JSONResponse(to_json(replay), headers=headers)


async def download_transcript(source: MatchView, query: PageQuery) -> Response:
    """Return a transcript as a file for `arena verify`."""
    key = query.path["key"]
    transcript = await source.load_transcript(key)
    headers = build_attachment_headers(f"{source.name}-{key}{SUFFIX}")
    return Response(transcript.text, media_type="application/jsonl", headers=headers)
