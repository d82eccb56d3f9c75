"""Reviews for pages: computed one at a time, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from attrs import define, evolve, field, frozen
from starlette.responses import JSONResponse, Response

from arena import HintSource, Seat, UserError
from arena.plugins import get_plugins
from arena.records import Transcript, parse_text
from arena_web.http.refusals import NotFoundError
from arena_web.http.response_cache import IMMUTABLE_CACHE_CONTROL
from arena_web.http.worker_threads import LimitedThreads
from arena_web.matches.notes import annotate
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import MatchReview
from arena_web.review.moments import Findings, find_moments
from arena_web.review.results import Result
from arena_web.review.selection import (
    Explainer,
    Selection,
    ToldMoment,
    add_costly,
    add_end,
    choose_by_score,
    choose_costly,
    choose_in_only_round,
    choose_losses,
    choose_unlucky,
)
from arena_web.review.statements import ChanceCost, Prospects
from arena_web.review.summaries import ALL_BEST, FAULTLESS, UNSURE, Summary
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

ABOUT_CHANCES = (
    "Chances to win are those against a perfect player, if you go on as one; a tie counts half."
)
ABOUT_PROSPECTS = (
    "Your prospects are the share of the others whom you beat, and a little of your lead, if bots"
    " play on from there with new deals of what you did not see."
)


@frozen
class Review:
    """What a page says of a match, as one seat sees it."""

    result: Result | None  #: None where there is none
    title: str
    moments: Sequence[ToldMoment]  #: the first is told first
    summary: Summary  #: what the moments are
    method: str  #: what their figures are; empty where there are none

    @property
    def reply(self) -> MatchReview:
        """The review as a page reads it."""
        moments = [told.reply for told in self.moments]
        return MatchReview(self.title, self.summary.text, self.method, moments)


NO_REVIEW = Review(None, "", (), Summary(), "")
"""The review of a match of which there is nothing to say."""


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
        return JSONResponse(
            to_json(review.reply), headers={"Cache-Control": IMMUTABLE_CACHE_CONTROL}
        )


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def review_match(text: str, seat: Seat, source: HintSource | None) -> Review:
    """Return the review of the match of this transcript that a page shows to a seat.

    Nothing has decided a void match, nor is anything known of one whose game has changed since.
    """
    transcript = parse_text(text)
    game = get_plugins().find_game(transcript.header.game)
    if not _has_places(transcript):
        return NO_REVIEW
    try:
        findings = find_moments(game, transcript, seat)
    except UserError:
        return NO_REVIEW
    result, explainer = findings.result, Explainer(source, findings.result)
    costs, method = list_costs(annotate(text), seat), ""
    if costs:
        method = " ".join(list_remarks(annotate(text)))
        explainer = Explainer(None, result)  # a hint that draws lots would seem to blame some
    if result is Result.WON and not findings.is_single:
        decisive = choose_by_score(findings, explainer)
        selection = add_costly(decisive, findings, weigh_by_costs(findings, costs))
    elif costs:
        answers = weigh_by_costs(findings, costs)
        otherwise = UNSURE if answers else ALL_BEST
        selection = choose_costly(findings, answers, explainer, otherwise)
    else:
        variant = transcript.header.read_variant(game)
        scale = AnswerScale.of(game, variant, transcript.seats, source)
        selection = _choose_weighed(findings, scale, explainer)
        method = ABOUT_PROSPECTS if selection.says(Prospects) else ""
    if selection.says(ChanceCost):
        method = f"{method} {ABOUT_CHANCES}".strip()
    told = add_end(selection, findings, explainer).in_order
    moments = explainer.drop_repeats(told.moments)
    decided = f"What decided this {game.unit if findings.is_single else 'match'}"
    title = "Why you did not win" if result is Result.LOST else decided
    return Review(result, title, moments, told.summary, method)


def _has_places(transcript: Transcript) -> bool:
    """Whether the players of a match have places, as they have unless it is void."""
    outcomes = (line.value.get("outcome") for line in transcript.lines)
    return any(outcome and outcome["places"] for outcome in outcomes)


def _choose_weighed(findings: Findings, scale: AnswerScale, explainer: Explainer) -> Selection:
    """Return the moments of a match whose answers a source of hints and bots weigh."""
    answers, is_faultless = weigh_answers(findings, scale), scale.is_faultless(findings)
    harmless = frozenset(answer.choice.own.line for answer in answers if not answer.is_likely)
    explainer = evolve(explainer, harmless=harmless)
    if findings.is_single:
        return choose_in_only_round(findings, answers, explainer, is_faultless=is_faultless)
    if losses := choose_losses(findings, answers, explainer):
        return losses
    if is_faultless:
        return choose_costly(findings, answers, explainer, FAULTLESS)
    is_sure = any(answer.is_sure for answer in answers)
    unlucky = None if is_sure else choose_unlucky(findings, explainer)
    return unlucky or choose_costly(findings, answers, explainer)
