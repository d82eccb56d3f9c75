"""Which moments of a match are told, in which order, and what the page says they are."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from arena import HintSource
from arena_web.review.better_answers import describe_better_answer
from arena_web.review.moments import MAX_MOMENTS, Moment, Review, spread
from arena_web.review.weighing import WeighedAnswer

COSTLY = "Your answers that cost you most, the worst first:"
LOSSES = "Your answers that led to a loss, then others that cost you most, the worst of each first:"
ONLY_LOSSES = "Your answers that led to a loss, the worst first:"
MIXED = "Your answers that cost you most; those without figures may be chance:"
ALL_BEST = "None of your answers that are judged here cost you anything."
UNSURE = "No single answer of yours clearly decided the match."
MAYBE = f"{UNSURE} These may have cost you something:"


def choose_costly(review: Review, answers: Sequence[WeighedAnswer], method: str = "") -> Review:
    """Return a review whose moments are the costliest answers, those first that are no chance.

    Answers that the hint shares go behind what the score and the hint say, though it may be chance.
    Where none seems to have cost anything, the moments are those of the score, as they were.
    """
    fallen = {moment.span for moment in review.moments}

    def rank(answer: WeighedAnswer) -> tuple[bool, bool, float]:
        is_told = answer.is_sure or answer.moment.span in fallen
        return not is_told, answer.is_shared, -answer.cost if answer.is_sure else 1 - answer.cost

    costly = [answer for answer in answers if answer.cost > 0 and (answer.is_sure or answer.maybe)]
    moments = _choose_moments([answer.tell() for answer in sorted(costly, key=rank)])
    if moments and all(moment.is_sure for moment in moments):
        return evolve(review, moments=moments, summary=COSTLY, method=method)
    if any(moment.is_sure for moment in moments):
        return evolve(review, moments=moments, summary=MIXED, method=method)
    if moments:
        return evolve(review, moments=moments, summary=MAYBE)
    return evolve(review, summary=f"{UNSURE} {review.summary}")


def _choose_moments(moments: Sequence[Moment]) -> list[Moment]:
    """Return the first moments in their order, each round once, with all that is said of it.

    Of a match of several chapters, such as deals, they are of as many chapters as there are, and of
    each the one that is sure is told.
    """
    rounds: dict[tuple[int, int], Moment] = {}
    for moment in moments:
        told = rounds.setdefault(moment.span, moment)
        if told is not moment and moment.is_sure == told.is_sure:
            rounds[moment.span] = evolve(told, better=f"{told.better} {moment.better}")
    chosen = spread(rounds.values(), lambda moment: moment.chapter)
    sure = {moment.chapter for moment in chosen if moment.chapter and moment.is_sure}
    spans = {moment.span for moment in chosen[: max(MAX_MOMENTS, len(sure))]}
    return [moment for span, moment in rounds.items() if span in spans]


def put_losses_first(
    review: Review, rounds: Sequence[Moment], answers: Sequence[WeighedAnswer]
) -> Review:
    """Return a review that begins with the rounds in which an answer led to a loss.

    These are told whatever they cost, those that surely cost most first; what may be chance is left
    out behind them.
    """
    costly = {
        answer.moment.span: answer
        for answer in sorted(answers, key=lambda answer: answer.cost)
        if answer.is_sure and answer.own in answer.moment.wrong
    }
    wrong = sorted((moment for moment in rounds if moment.wrong), key=lambda moment: moment.span)
    wrong.sort(key=lambda moment: -costly[moment.span].cost if moment.span in costly else 0)
    losses = [_tell_loss(moment, costly.get(moment.span)) for moment in wrong]
    if not losses:
        return review
    spans = {moment.span for moment in losses}
    others = [moment for moment in review.moments if moment.is_sure and moment.span not in spans]
    summary = LOSSES if others else ONLY_LOSSES
    return evolve(review, moments=[*losses, *others][:MAX_MOMENTS], summary=summary)


def _tell_loss(moment: Moment, costly: WeighedAnswer | None) -> Moment:
    """Return a round in which answers led to a loss, with what the costliest has cost if known."""
    if costly is None:
        return evolve(moment, line=moment.wrong[-1].line + 1)
    others = [own.truth for own in moment.wrong if own is not costly.own]
    better = " ".join([*others, costly.better])
    return evolve(moment, line=costly.own.line + 1, better=better, is_sure=True)


def mention_end(summary: str) -> str:
    """Return a summary of moments behind which the end is told, whatever it cost.

    >>> mention_end("Your answers that led to a loss:")
    'Your answers that led to a loss, and how it ended:'
    """
    return f"{summary.removesuffix(':')}, and how it ended:"


def explain(review: Review, source: HintSource | None) -> Review:
    """Return a review whose moments all say what would have been better; the end is one of them.

    A round is told once: if the end has cost most, it is the first moment; else it is the last, and
    the summary says so.
    """
    end, summary = review.end, review.summary
    moments = [
        evolve(moment, title=end.title) if end and moment.span == end.span else moment
        for moment in review.moments
    ]
    if end and all(moment.span != end.span for moment in moments):
        moments = [*moments, end]
        summary = mention_end(summary)
    moments = [
        moment
        if moment.better
        else evolve(moment, better=describe_better_answer(moment, source, review.direction))
        for moment in moments
    ]
    return evolve(review, moments=moments, summary=summary)
