"""How all stand at a hill and what was played there, for programs; everybody may see it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from arena.records import pack_match
from arena.tournament import Filter, Store
from arena.wires import dump
from arena_web import tournaments
from arena_web.embargo import Player, Shown
from arena_web.hill.office import Office
from arena_web.served import keyed, matches_of, numbers

CHUNK = 500  # matches that are read at once
Key = tuple[int, int]


async def standings(office: Office, request: Request) -> Response:
    """Return how all stand; before anything was played nobody does."""
    if not await office.ask(office.begun):
        nothing: dict[str, Any] = {"stored": 0, **tournaments.times_of(None), "standings": []}
        return JSONResponse({"game": office.spec.game.name, **nothing})
    return await tournaments.standings_json(office.contest, request)


async def matches(office: Office, request: Request) -> Response:
    """Return matches, a line each, in the order of their keys, behind the one that `since` names.

    They end before the first that is still to be played: who asks again, since the last that
    came, misses none.
    """
    since = request.query_params.get("since")
    after = numbers(since) if since else None
    if since and after is None:
        raise HTTPException(422, "since: this is no match's key, such as 12.0")
    if not await office.ask(office.begun):
        return Response(media_type="application/jsonl")
    return StreamingResponse(_lines(office, after), media_type="application/jsonl")


async def _lines(office: Office, after: Key | None) -> AsyncIterator[str]:
    end = await office.contest.ask_in_turn(_first_open)
    more = True
    while more:
        ask = partial(_some, after=after, end=end)
        text, after, more = await office.contest.ask_in_turn(ask)
        yield text


def _some(store: Store, *, after: Key | None, end: Key | None) -> tuple[str, Key | None, bool]:
    """Return the next lines, behind which match to go on, and whether there may be more."""
    found = matches_of(store, Filter(limit=CHUNK, after=after))
    here = [one for one in found if end is None or keyed(one.key) < end]
    text = "".join(f"{dump(_packed(one))}\n" for one in here)
    return text, keyed(here[-1].key) if here else after, len(here) == CHUNK


def _first_open(store: Store) -> Key | None:
    """Return the key of the first match that is still to be played."""
    return next(((deal.number, rotation) for deal, rotation in store.todo()), None)


def _packed(match: Shown) -> dict[str, Any]:
    """Return a match as `arena matches` prints it, as far as it is everybody's at once."""
    seats = map(_seat, match.players)
    more = {"stage": match.stage, "when": match.when}
    return pack_match(match.key, match.end, match.rounds, seats, **more)


def _seat(player: Player) -> dict[str, Any]:
    """Return a seat; what a verdict says may quote a hand, and is left out."""
    return {
        "seat": player.seat,
        "name": player.name,
        "version": player.version,
        "score": player.score,
        "place": player.place,
        "verdict": {"kind": player.verdict} if player.verdict else None,
        "seconds": player.seconds,
    }
