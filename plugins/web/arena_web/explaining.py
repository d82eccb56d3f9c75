"""Notes on a match that is over: what plugins that know its game well have to say of it."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

from anyio import CapacityLimiter, to_thread
from attrs import define, field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from arena.plugins import Note, plugins
from arena.records import Transcript, parse_text
from arena.rules import UserError
from arena_web.kept import FOREVER

KEPT = 64  # matches whose notes are remembered
AT_ONCE = 1  # matches that are explained: each may take a second
WAITING = 20  # matches whose notes are waited for; the next one is sent away


@define(eq=False)
class Explaining:
    """Explains matches, one after the other."""

    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(AT_ONCE))
    _waiting: int = field(init=False, default=0)

    async def answer(self, transcript: Transcript) -> Response:
        """Return the notes on a match as JSON; 503 where too many wait for theirs."""
        if self._waiting >= WAITING:
            raise HTTPException(503, headers={"Retry-After": "5"})
        self._waiting += 1
        try:
            found = await to_thread.run_sync(_explained, transcript.text, limiter=self._limiter)
        except UserError:  # a game that is not installed, a file that is broken
            raise HTTPException(404) from None
        finally:
            self._waiting -= 1
        return JSONResponse({"notes": found}, headers={"Cache-Control": FOREVER})


@lru_cache(maxsize=KEPT)
def _explained(text: str) -> list[dict[str, Any]]:
    transcript = parse_text(text)
    known = plugins()
    return [_packed(note) for note in known.notes(known.game(transcript.header.game), transcript)]


def _packed(note: Note) -> dict[str, Any]:
    """Return a note without what it does not have."""
    figure = note.figure if note.figure is not None and isfinite(note.figure) else None
    more = {"seat": note.seat, "figure": figure, "query": note.query and dict(note.query)}
    said = {"line": note.line, "text": note.text}
    return {**said, **{name: value for name, value in more.items() if value is not None}}


def walked() -> frozenset[str]:
    """Return the games that can be walked through."""
    return frozenset(walk.game for walk in plugins().walks)
