"""Reviews for pages: computed one at a time, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from attrs import define, field, frozen
from starlette.responses import JSONResponse, Response

from arena import HintSource, Seat, UserError
from arena.plugins import get_plugins
from arena.records import Transcript
from arena_web.hints import find_hint_source
from arena_web.http.refusals import NotFoundError
from arena_web.http.worker_threads import LimitedThreads
from arena_web.matches.notes import NoteFinder, annotate
from arena_web.matches.remembered import remember
from arena_web.preparations import Preparations
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import SeatOutcome
from arena_web.protocol.replies import MatchReview
from arena_web.review.judgments import AnswerJudge
from arena_web.review.moments import find_moments
from arena_web.review.selection import MomentSelector, ToldMoment
from arena_web.review.statements import ChanceCost, WinChances
from arena_web.review.summaries import ALL_BEST, UNSURE, Summary
from arena_web.review.weighing import AnswerScale, list_costs, weigh_by_costs

MAX_PARALLEL = 1  # matches that are looked at: each may take some seconds
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again

ABOUT_CHANCES = (
    "Chances to win are those against a perfect player, if you go on as one; a tie counts half."
)
ABOUT_PLAYOUTS = (
    "Chances to win are those if bots play on from there, with new deals of what you did not see;"
    " a tie counts as a share of a win."
)


@frozen
class Review:
    """What a page says of a match, as one seat sees it."""

    outcome: SeatOutcome | None  #: None where there is none
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
    """Reviews finished matches one at a time, and remembers some of the reviews."""

    find_notes: NoteFinder
    preparations: Preparations
    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )
    _find_review: Callable[[Transcript, Seat], Review] = field(init=False)

    @_find_review.default
    def _remember(self) -> Callable[[Transcript, Seat], Review]:
        return remember(self._review, self.preparations)

    async def answer(self, transcript: Transcript, seat: str) -> Response:
        """Return the review of a match for a seat as JSON; 503 if too many requests wait."""
        if seat not in map(str, range(transcript.seats)):
            raise NotFoundError
        review = await self._threads.run(partial(self._find_review, transcript, int(seat)))
        return build_reply(review)

    def _review(self, transcript: Transcript, seat: Seat) -> Review:
        """Return a review by the best source of hints; nothing is known of a game that is gone."""
        header = transcript.header
        try:
            variant = header.read_variant(get_plugins().find_game(header.game))
        except UserError:
            return NO_REVIEW
        source = find_hint_source(header.game, variant, len(header.names))
        return review_match(transcript, seat, source, self.find_notes)


def build_reply(review: Review) -> Response:
    """Return a review as a script reads it."""
    headers = {"Cache-Control": "no-cache"}  # more may be known once the game is solved
    return JSONResponse(to_json(review.reply), headers=headers)


def review_match(
    transcript: Transcript,
    seat: Seat,
    source: HintSource | None,
    find_notes: NoteFinder = annotate,
) -> Review:
    """Return the review of the match of this transcript that a page shows to a seat.

    Nothing has decided a void match, nor is anything known of one whose game has changed since.
    """
    game = get_plugins().find_game(transcript.header.game)
    if not _has_places(transcript):
        return NO_REVIEW
    try:
        findings = find_moments(game, transcript, seat)
    except UserError:
        return NO_REVIEW
    costs = list_costs(find_notes(transcript), seat)
    # a hint that draws lots would seem to blame some answers whose costs are known
    judge = AnswerJudge(None if costs else source)
    is_win = findings.outcome is SeatOutcome.WON and not findings.is_single
    if costs or is_win:
        selector = MomentSelector(findings, weigh_by_costs(findings, costs), judge)
        otherwise = UNSURE if selector.answers else ALL_BEST
        selection = selector.select_of_win() if is_win else selector.select_costly(otherwise)
    else:
        variant = transcript.header.read_variant(game)
        scale = AnswerScale.of(game, variant, transcript.seats, judge)
        selector = MomentSelector(findings, scale.weigh_answers(findings), judge)
        selection = selector.select_weighed()
    told = selector.add_end(selection).in_order
    methods = [
        *([ABOUT_PLAYOUTS] if told.says(WinChances) else ()),
        *([ABOUT_CHANCES] if told.says(ChanceCost) else ()),
    ]
    decided = f"What decided this {game.unit if findings.is_single else 'match'}"
    title = "Why you did not win" if findings.outcome is SeatOutcome.LOST else decided
    moments = selector.drop_repeats(told.moments)
    return Review(findings.outcome, title, moments, told.summary, " ".join(methods))


def _has_places(transcript: Transcript) -> bool:
    """Whether the players of a match have places, as they have unless it is void."""
    outcomes = (line.value.get("outcome") for line in transcript.lines)
    return any(outcome and outcome["places"] for outcome in outcomes)
