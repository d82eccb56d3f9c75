"""What plugins say of the steps of a finished match, as JSON: one match at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite

from attrs import define, evolve, field
from starlette.responses import JSONResponse, Response

from arena import Annotation, Seat, UserError
from arena.records import Transcript
from arena_web.http.refusals import NotFoundError
from arena_web.http.worker_threads import LimitedThreads
from arena_web.matches.notes import NoteFinder
from arena_web.pages.page_query import PageQuery
from arena_web.pages.replays import RecordedMatch
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import MatchNotes, Note, NotedCost
from arena_web.sources import MatchView

MAX_PARALLEL = 1  # matches that are explained: each may take a second
MAX_WAITING = 20  # matches whose notes are waited for; the next one is sent away
PAIR = 2  # players, of whom one is as far ahead as the other is behind
RETRY_SECONDS = 5  # after which a refused request may come again


@define(eq=False)
class Annotator:
    """Collects annotations, one match at a time."""

    find_notes: NoteFinder
    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )

    async def get_notes(self, source: MatchView, query: PageQuery) -> Response:
        """Return the annotations of a match as JSON; 503 if too many requests wait."""
        transcript = await source.load_transcript(query.path["key"])
        return await self.answer(RecordedMatch(transcript))

    async def answer(self, match: RecordedMatch) -> Response:
        """Return the annotations of a match, as its reader sees them.

        What an answer cost is told with the names of players, if they are given.
        """
        transcript, reader = match.transcript, match.reader
        notes = await self._threads.run(partial(self._find_notes, transcript))
        if reader and transcript.seats == PAIR:
            notes = [_turn_round(note) for note in notes]
        of = reader or 0 if transcript.seats == PAIR else 0
        notes = [_address(note, reader, match.names) for note in notes]
        reply = MatchNotes([_build_note(note, of) for note in notes])
        return JSONResponse(to_json(reply), headers={"Cache-Control": "no-cache"})

    def _find_notes(self, transcript: Transcript) -> Sequence[Annotation]:
        """Return the annotations on a match; raise NotFoundError where it cannot be read."""
        try:
            return self.find_notes(transcript)
        except UserError:  # a game that is not installed, a file that is broken
            raise NotFoundError from None


def _address(note: Annotation, reader: Seat | None, names: Sequence[str]) -> Annotation:
    """Return an annotation on an answer's cost with the reader called `You`, others by names."""
    if note.cost is None or note.seat is None or not note.text:
        return note
    who = "You" if note.seat == reader else names[note.seat] if names else ""
    if not who:
        return note
    cost = note.cost
    text = f"{who} chose {cost.answer}, which cost {cost.amount:.1f} points; best: {cost.best}."
    return evolve(note, text=text)


def _turn_round(note: Annotation) -> Annotation:
    """Return an annotation with what the second of two players could expect."""
    return note if note.figure is None else evolve(note, figure=-note.figure)


def _build_note(note: Annotation, of: Seat) -> Note:
    """Return an annotation as a page reads it; its figure is that `of` a seat."""
    figure = note.figure if note.figure is not None and isfinite(note.figure) else None
    cost = None
    if known := note.cost:
        cost = NotedCost(known.amount, known.answer, known.best, known.is_best)
    return Note(
        line=note.line,
        text=note.text,
        seat=note.seat,
        figure=figure,
        of=of if of and figure is not None else None,
        query=None if note.query is None else dict(note.query),
        cost=cost,
        whole=note.is_on_match,
    )
