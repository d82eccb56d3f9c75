"""The standings and matches of a hill for programs; they are public."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from arena.extend import MatchFilter, Store, dump, pack_match
from arena_hill.service import HillService
from arena_web.pages import standings
from arena_web.sources import list_matches, parse_key, split_key
from arena_web.visibility import MatchSummary, VisiblePlayer

CHUNK_MATCHES = 500  # matches that are read at once
Key = tuple[int, int]


async def get_standings(service: HillService, request: Request) -> Response:
    """Return the standings as JSON, without rows before the first match."""
    if not await service.ask(service.has_tournament):
        nothing: dict[str, Any] = {"stored": 0, **standings.build_times(None), "standings": []}
        return JSONResponse({"game": service.spec.game.name, **nothing})
    return await standings.get_standings(service.tournament, request)


async def stream_matches(service: HillService, request: Request) -> Response:
    """Stream matches, one per line, in the order of their keys, after the match `since`.

    They end before the first that is still to be played: who asks again, since the last that
    came, misses none.
    """
    since = request.query_params.get("since")
    after = parse_key(since) if since else None
    if since and after is None:
        raise HTTPException(422, "since: not a match key (such as 12.0)")
    if not await service.ask(service.has_tournament):
        return Response(media_type="application/jsonl")
    return StreamingResponse(_stream_lines(service, after), media_type="application/jsonl")


async def _stream_lines(service: HillService, after: Key | None) -> AsyncIterator[str]:
    end = await service.tournament.ask_in_turn(_find_first_open)
    more = True
    while more:
        ask = partial(_read_chunk, after=after, end=end)
        text, after, more = await service.tournament.ask_in_turn(ask)
        yield text


def _read_chunk(
    store: Store, *, after: Key | None, end: Key | None
) -> tuple[str, Key | None, bool]:
    """Return the next lines, the match to continue after, and whether there may be more."""
    found = list_matches(store, MatchFilter(limit=CHUNK_MATCHES, after=after))
    here = [match for match in found if end is None or split_key(match.key) < end]
    text = "".join(f"{dump(_serialize_match(match))}\n" for match in here)
    return text, split_key(here[-1].key) if here else after, len(here) == CHUNK_MATCHES


def _find_first_open(store: Store) -> Key | None:
    """Return the key of the first match that has not been played."""
    return next(((deal.number, rotation) for deal, rotation in store.list_todo()), None)


def _serialize_match(match: MatchSummary) -> dict[str, Any]:
    """Return the immediately public part of a match, as `arena matches` prints it."""
    seats = map(_serialize_seat, match.players)
    more = {"stage": match.stage, "when": match.when}
    return pack_match(match.key, match.end, match.rounds, seats, **more)


def _serialize_seat(player: VisiblePlayer) -> dict[str, Any]:
    """Return a seat without the details of its verdict, which may quote a hand."""
    return {
        "seat": player.seat,
        "name": player.name,
        "version": player.version,
        "score": player.score,
        "place": player.place,
        "verdict": {"kind": player.verdict} if player.verdict else None,
        "seconds": player.seconds,
    }
