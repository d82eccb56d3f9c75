"""Pages of matches: lists, one match, and what programs take of them."""

from __future__ import annotations

import csv as comma
import io
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from arena.records import SUFFIX, Spectator, Transcript
from arena.rules import End, Fault, UserError
from arena.tournament import COLUMNS, Filter, Store, rows_of
from arena.wires import harmless
from arena_web.app import attached
from arena_web.kept import FOREVER
from arena_web.replay import eyes_of, replay_json
from arena_web.served import Contest, Source, numbers
from arena_web.transcript_folder import Shelf

PAGE = 50  # matches
CHUNK = 500  # matches of a file for programs, read at once
Key = tuple[int, int]


async def listed(contest: Contest, request: Request) -> dict[str, Any]:
    """Return a page of a tournament's matches, the newest first."""
    seen = await contest.figures.get()
    query = request.query_params
    asked = {name: query.get(name, "") for name in ("bot", "against", "verdict", "end")}
    known = {one.entry.name for one in seen.figures.found}
    ids = {one.entry.id for one in seen.figures.found}
    if {asked["bot"], asked["against"]} - known - ids - {""}:
        raise HTTPException(404)
    some = {name: value or None for name, value in asked.items()}
    which = Filter(**some, after=numbers(query.get("after", "")), limit=PAGE + 1, newest=True)
    found = await contest.matches(which)
    more = found[PAGE - 1].key if len(found) > PAGE else ""
    versions = sorted(ids & {asked["bot"], asked["against"]})
    return {
        "game": seen.figures.game,
        "matches": found[:PAGE],
        "asked": asked,
        "more": more,
        "paged": bool(query.get("after")),
        "bots": [*sorted(known), *versions],
        "verdicts": [str(one) for one in Fault],
        "ends": [*(str(one) for one in End), "cancelled"],
    }


async def shelved(shelf: Shelf, request: Request) -> dict[str, Any]:
    """Return a page of a folder's transcripts."""
    found = await shelf.matches(request.query_params.get("after", ""), PAGE + 1)
    return {
        "matches": found[:PAGE],
        "more": found[PAGE - 1].key if len(found) > PAGE else "",
        "count": len(shelf.files()),
    }


async def match(source: Source, request: Request) -> dict[str, Any]:
    """Return the page of one match."""
    one = await source.match(request.path_params["key"])
    return {
        "game": one.game,
        "match": one,
        "eyes": eyes_of([player.name for player in one.players]),
    }


async def steps(source: Source, request: Request) -> Response:
    """Return what an eye sees of a match, as JSON."""
    eye = request.query_params.get("eye", Spectator.ALL)
    return await source.made(request.path_params["key"], partial(_steps, eye=eye))


def _steps(transcript: Transcript, eye: str) -> Response:
    try:
        return JSONResponse(replay_json(transcript, eye), headers={"Cache-Control": FOREVER})
    except UserError:  # no such eye, a game that is not installed, a file that is broken
        raise HTTPException(404) from None


async def transcript(source: Source, request: Request) -> Response:
    """Return a transcript as a file, which `arena verify` takes."""
    found = await source.transcript(request.path_params["key"])
    headers = attached(f"{source.name}-{request.path_params['key']}{SUFFIX}")
    return Response(found.text, media_type="application/jsonl", headers=headers)


async def csv(contest: Contest, _: Request) -> Response:
    """Return all matches for programs, a line for each seat."""
    headers = attached(f"{contest.name}-matches.csv")
    return StreamingResponse(_chunks(contest), media_type="text/csv", headers=headers)


async def _chunks(contest: Contest) -> AsyncIterator[str]:
    after: Key | None = None
    yield _written([], heading=True)
    while True:
        text, after = await contest.ask_in_turn(partial(_chunk, after=after))
        yield text
        if after is None:
            return


def _chunk(store: Store, *, after: Key | None) -> tuple[str, Key | None]:
    """Return the next lines, and behind which match to go on; None where these are the last."""
    rows = [*rows_of(store.matches(Filter(limit=CHUNK, after=after)))]
    return _written(rows), (rows[-1]["deal"], rows[-1]["rotation"]) if rows else None


def _written(rows: Iterable[Mapping[str, Any]], *, heading: bool = False) -> str:
    text = io.StringIO()
    writer = comma.DictWriter(text, COLUMNS, lineterminator="\n")
    if heading:
        writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
