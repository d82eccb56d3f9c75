"""The replay of a match: its steps as JSON, the page that shows them, routes to recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena.plugins import load_game
from arena.records import Sight, Spectator, Transcript, steps
from arena.rules import UserError
from arena.wires import printable
from arena_web.app import page


def eyes_of(names: Sequence[str]) -> list[str]:
    """Return all eyes of a match as its page lists them: `all`, `public`, and `SEAT: NAME`."""
    seats = [f"{seat}: {printable(name)}" for seat, name in enumerate(names)]
    return [*(spectator.value for spectator in Spectator), *seats]


def sight_of(eye: str, seats: int) -> Sight:
    """Return whose eyes are meant: `all`, `public`, or a seat's number.

    Raises:
        UserError: if it is none of these.
    """
    if eye in [*Spectator]:
        return Spectator(eye)
    numbers = [str(seat) for seat in range(seats)]
    if eye not in numbers:
        raise UserError(f"no such eye: it is all, public, or a seat (0 to {seats - 1})")
    return numbers.index(eye)


def replay_json(
    transcript: Transcript, eye: str = Spectator.ALL, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return all steps of one eye, and who sat there; `names` are others than the transcript's.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    known = names or transcript.header.names
    sight = sight_of(eye, transcript.seats)
    game = load_game(transcript.header.game)
    seen = [step.packed for step in steps(game, transcript, sight, known)]
    return {"names": [printable(name) for name in known], "steps": seen}


def replay_values(
    transcript: Transcript, title: str, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return what the template `replay.html` shows, but the addresses."""
    known = [printable(name) for name in names or transcript.header.names]
    return {
        "title": title,
        "game": printable(transcript.header.game),
        "seats": [f"{name} ({seat})" for seat, name in enumerate(known)],
        "eyes": eyes_of(known),
    }


def routes(recorded: Mapping[str, Transcript]) -> list[BaseRoute]:
    """Return routes to the replays of transcripts, each under its name: `/m/NAME`."""

    def known(request: Request) -> Transcript:
        try:
            return recorded[request.path_params["name"]]
        except KeyError:
            raise HTTPException(404) from None

    async def show(request: Request) -> Response:
        name, transcript = request.path_params["name"], known(request)
        values = replay_values(transcript, name)
        steps_at, text_at = f"{name}/steps", f"{name}/transcript"
        return page("replay.html", root="../", steps=steps_at, transcript=text_at, **values)

    async def steps_at(request: Request) -> Response:
        eye = request.query_params.get("eye", Spectator.ALL)
        try:
            return JSONResponse(await run_in_threadpool(replay_json, known(request), eye))
        except UserError as problem:
            return Response(str(problem), 404, media_type="text/plain")

    async def text_at(request: Request) -> Response:
        return Response(known(request).text, media_type="application/x-ndjson")

    return [
        Route("/m/{name}", show),
        Route("/m/{name}/steps", steps_at),
        Route("/m/{name}/transcript", text_at),
    ]
