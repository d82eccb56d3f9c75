"""Reviews for pages: computed one at a time, and kept."""

from __future__ import annotations

from functools import lru_cache, partial

from attrs import define, evolve, field
from starlette.responses import JSONResponse, Response

from arena import HintSource, Seat
from arena.plugins import get_plugins
from arena.records import Transcript, parse_text
from arena_web.http.refusals import NotFoundError
from arena_web.http.response_cache import IMMUTABLE_CACHE_CONTROL
from arena_web.http.worker_threads import LimitedThreads
from arena_web.pages.annotations import annotate
from arena_web.review.moments import Review, find_moments
from arena_web.review.selection import ALL_BEST, choose_costly, explain, put_losses_first
from arena_web.review.weighing import (
    AnswerScale,
    list_costs,
    list_remarks,
    weigh_answers,
    weigh_by_costs,
)

MAX_CACHED_MATCHES = 64  # matches whose moments are remembered
MAX_PARALLEL = 1  # matches that are looked at: each may take some seconds
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again

PROSPECTS = (
    "Your prospects are the share of the others whom you beat, and a little of your lead, if bots"
    " play on from there with new deals of what you did not see."
)


@define(eq=False)
class Reviewer:
    """Looks for the moments of finished matches, one match at a time."""

    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )

    async def list_moments(
        self, transcript: Transcript, seat: str, source: HintSource | None
    ) -> Response:
        """Return the moments of a seat as JSON; 503 if too many requests wait."""
        if seat not in map(str, range(transcript.seats)):
            raise NotFoundError
        call = partial(review_match, transcript.text, int(seat), source)
        review = await self._threads.run(call)
        return JSONResponse(review.json, headers={"Cache-Control": IMMUTABLE_CACHE_CONTROL})


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def review_match(text: str, seat: Seat, source: HintSource | None) -> Review:
    """Return the review of the match of this transcript that a page shows to a seat."""
    transcript = parse_text(text)
    game = get_plugins().find_game(transcript.header.game)
    review = find_moments(game, transcript, seat)
    if review.direction <= 0:
        notes = annotate(text)
        if costs := list_costs(notes, seat):
            answers = weigh_by_costs(review, costs)
            if answers:
                review = choose_costly(review, answers)
            else:  # a hint that draws lots would seem to blame some of them
                review, source = evolve(review, summary=f"{ALL_BEST} {review.summary}"), None
            review = evolve(review, method=" ".join([review.method, *list_remarks(notes)]).strip())
        else:
            variant = transcript.header.read_variant(game)
            scale = AnswerScale.of(game, variant, transcript.seats, source)
            answers = weigh_answers(review, scale)
            selection = choose_costly(review, answers, PROSPECTS)
            review = put_losses_first(selection, review.rounds, answers)
    return explain(review, source)
