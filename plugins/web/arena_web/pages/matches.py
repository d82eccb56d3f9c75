"""Pages of matches: lists, single matches, and downloads."""

from __future__ import annotations

import csv as comma
import io
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from arena import End, Fault, UserError
from arena.extend import (
    COLUMNS,
    SUFFIX,
    MatchFilter,
    Spectator,
    Store,
    Transcript,
    build_rows,
    escape_formula,
)
from arena_web.app import build_attachment_headers
from arena_web.http.refreshed_value import IMMUTABLE_CACHE_CONTROL
from arena_web.pages.bot_matches import RESULTS, list_bot_matches
from arena_web.pages.replays import build_replay, list_eyes
from arena_web.sources.match_announcements import describe_result
from arena_web.sources.tournament import Source, TournamentSource, parse_key
from arena_web.sources.transcripts import TranscriptFolder

PAGE_MATCHES = 50  # matches
FILTERS = ("bot", "against", "result", "verdict", "end")
CHUNK_MATCHES = 500  # matches of a file for programs, read at once
Key = tuple[int, int]


async def list_matches(tournament: TournamentSource, request: Request) -> dict[str, Any]:
    """Return a page of a tournament's matches, the newest first."""
    seen = await tournament.snapshot.get()
    query = request.query_params
    asked = {name: query.get(name, "") for name in FILTERS}
    known = {standing.entry.name for standing in seen.summary.standings}
    ids = {standing.entry.id for standing in seen.summary.standings}
    if {asked["bot"], asked["against"]} - known - ids - {""}:
        raise HTTPException(404)
    if asked["result"] not in ("", *RESULTS):
        raise HTTPException(404)
    some = {name: value or None for name, value in asked.items()}
    which = MatchFilter(
        **some, after=parse_key(query.get("after", "")), limit=PAGE_MATCHES + 1, newest=True
    )
    found = await tournament.list_matches(which)
    more = found[PAGE_MATCHES - 1].key if len(found) > PAGE_MATCHES else ""
    versions = sorted(ids & {asked["bot"], asked["against"]})
    return {
        "game": seen.summary.game,
        "matches": found[:PAGE_MATCHES],
        "own": list_bot_matches(found[:PAGE_MATCHES], asked["bot"]) if asked["bot"] else [],
        "results": RESULTS if asked["bot"] else (),
        "asked": asked,
        "more": more,
        "paged": bool(query.get("after")),
        "bots": [*sorted(known), *versions],
        "verdicts": [str(fault) for fault in Fault],
        "ends": [*(str(end) for end in End), "cancelled"],
    }


async def list_transcripts(shelf: TranscriptFolder, request: Request) -> dict[str, Any]:
    """Return a page of a folder's transcripts."""
    found = await shelf.list_matches(request.query_params.get("after", ""), PAGE_MATCHES + 1)
    return {
        "matches": found[:PAGE_MATCHES],
        "more": found[PAGE_MATCHES - 1].key if len(found) > PAGE_MATCHES else "",
        "count": len(shelf.list_files()),
    }


async def show_match(source: Source, request: Request) -> dict[str, Any]:
    """Return the page of one match."""
    summary = await source.find_match(request.path_params["key"])
    return {
        "game": summary.game,
        "match": summary,
        "said": describe_result(
            [player.name for player in summary.players],
            [player.place for player in summary.players],
            [player.score for player in summary.players],
        ),
        "eyes": list_eyes([player.name for player in summary.players]),
    }


async def get_steps(source: Source, request: Request) -> Response:
    """Return the steps of a match in one view, as JSON."""
    eye = request.query_params.get("eye", Spectator.ALL)
    return await source.load_with(request.path_params["key"], partial(_build_steps, eye=eye))


def _build_steps(transcript: Transcript, eye: str) -> Response:
    try:
        return JSONResponse(
            build_replay(transcript, eye), headers={"Cache-Control": IMMUTABLE_CACHE_CONTROL}
        )
    except UserError:  # no such eye, a game that is not installed, a file that is broken
        raise HTTPException(404) from None


async def download_transcript(source: Source, request: Request) -> Response:
    """Return a transcript as a file for `arena verify`."""
    found = await source.load_transcript(request.path_params["key"])
    headers = build_attachment_headers(f"{source.name}-{request.path_params['key']}{SUFFIX}")
    return Response(found.text, media_type="application/jsonl", headers=headers)


async def download_csv(tournament: TournamentSource, _: Request) -> Response:
    """Stream all matches as CSV, one line per seat."""
    headers = build_attachment_headers(f"{tournament.name}-matches.csv")
    return StreamingResponse(_stream_csv(tournament), media_type="text/csv", headers=headers)


async def _stream_csv(tournament: TournamentSource) -> AsyncIterator[str]:
    after: Key | None = None
    yield _format_csv([], heading=True)
    while True:
        text, after = await tournament.ask_in_turn(partial(_read_chunk, after=after))
        yield text
        if after is None:
            return


def _read_chunk(store: Store, *, after: Key | None) -> tuple[str, Key | None]:
    """Return the next lines and the match to continue after; None after the last."""
    rows = [*build_rows(store.find_matches(MatchFilter(limit=CHUNK_MATCHES, after=after)))]
    return _format_csv(rows), (rows[-1]["deal"], rows[-1]["rotation"]) if rows else None


def _format_csv(rows: Iterable[Mapping[str, Any]], *, heading: bool = False) -> str:
    text = io.StringIO()
    writer = comma.DictWriter(text, COLUMNS, lineterminator="\n")
    if heading:
        writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
