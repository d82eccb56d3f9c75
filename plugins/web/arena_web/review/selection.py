"""Which moments of a match are told, in which order, and what the page says they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

from attrs import evolve, frozen

from arena import HintSource
from arena.wires import to_printable
from arena_web.replies import ReviewMoment
from arena_web.review.better_answers import (
    describe_better_answer,
    describe_good_answer,
    find_hint,
    find_worth,
    judge_answer,
)
from arena_web.review.moments import MAX_MOMENTS, Findings, Moment, Result, spread
from arena_web.review.own_answers import OwnAnswer
from arena_web.review.weighing import WeighedAnswer

MAX_TOLD = 5  # moments, with the end
COSTLY = "Your answers that cost you most, the worst first:"
THEN_COSTLY = ", then answers of yours that cost you points, the worst first:"
LOSSES = "Your answers that led to a loss, then others that cost you most, the worst of each first:"
ONLY_LOSSES = "Your answers that led to a loss, the worst first:"
MIXED = "Your answers that cost you most; those without figures may be chance:"
UNLUCKY = "Your answers that led to a loss, though they were no mistakes:"
ALL_BEST = "None of your answers that are judged here cost you anything."
FAULTLESS = "You made no mistake."
NO_CHOICE = "You had nothing to decide."
NO_ROUND = "No single round decided it."
UNSURE = "No single answer of yours clearly decided the match."
MAYBE = f"{UNSURE} These may have cost you something:"
NOTHING = "No single answer of yours, and no single round, clearly decided the match."
SINGULAR = {
    "The rounds ": "The round ",
    "Your answers ": "Your answer ",
    "answers of yours": "an answer of yours",
    ", the worst first:": ":",
    "though they were no mistakes": "though it was no mistake",
    "These may ": "This may ",
}


@frozen(eq=False)
class ToldMoment:
    """A moment as a page tells it."""

    moment: Moment
    line: int  #: of the transcript, to which it leads
    title: str
    better: str  #: what would have been better; may be empty
    is_sure: bool = False  #: whether it says what an answer cost, beyond chance
    has_prospects: bool = False  #: whether it does so in prospects

    @classmethod
    def of(cls, answer: WeighedAnswer) -> Self:
        """Return the moment of an answer, with what would have been better."""
        moment, better = answer.choice.moment, answer.better if answer.is_sure else answer.maybe
        line = answer.choice.own.line + 1
        has_prospects = answer.is_sure and answer.has_prospects
        return cls(moment, line, moment.title, better, answer.is_sure, has_prospects)

    @property
    def is_telling(self) -> bool:
        """Whether it says more than a record of the round: a reason, or what went well."""
        return bool(self.better) or self.moment.is_good

    @property
    def reply(self) -> ReviewMoment:
        """The moment as a page reads it."""
        words = " ".join(self.moment.words)
        return ReviewMoment(self.line, *map(to_printable, (self.title, words, self.better)))


@frozen
class Selection:
    """The moments that are told, the first of them first, with the sentence on what they are."""

    moments: Sequence[ToldMoment]
    summary: str

    @property
    def has_prospects(self) -> bool:
        """Whether one of them says what an answer cost in prospects."""
        return any(told.has_prospects for told in self.moments)


@frozen
class Explainer:
    """Says what would have been better in a round of which no cost is known."""

    source: HintSource | None
    result: Result | None  #: of the match; None: what is said of answers does not depend on it

    def is_mistake(self, own: OwnAnswer) -> bool:
        """Whether the source of hints would have answered otherwise; without one, any may be."""
        return not judge_answer(self.source, own)

    def tell(self, moment: Moment, line: int | None = None) -> ToldMoment:
        """Return a moment that leads to its own line or another one."""
        better = describe_better_answer(moment, self.source, self.result)
        return ToldMoment(moment, line or moment.line, moment.title, better)

    def drop_repeats(self, moments: Sequence[ToldMoment]) -> list[ToldMoment]:
        """Return moments without the reasons of earlier ones, nor agreements without a reason.

        Who has won reads the same agreement once.
        """
        said, told = set[str](), list[ToldMoment]()
        for moment in moments:
            better, before = moment.better, {*said}
            choices = moment.moment.choices
            for own in choices:
                *reasons, agreement = self._list_sentences(own, is_only=len(choices) == 1)
                is_known = agreement in before and self.result is Result.WON
                for sentence in (*reasons, agreement):
                    if sentence in before or is_known:
                        if sentence != agreement or is_known or better.endswith(agreement):
                            better = better.replace(sentence, "").strip().replace("  ", " ")
                    elif sentence in better:
                        said.add(sentence)
            told.append(evolve(moment, better=better))
        return told

    def _list_sentences(self, own: OwnAnswer, *, is_only: bool) -> list[str]:
        """Return the reasons of a hint at an answer, and at last that the hint agrees with it."""
        hint = find_hint(self.source, own)
        if self.source is None or hint is None:
            return [""]
        who = hint.source or self.source.title
        agreement = describe_good_answer(own, hint, who, self.result, is_only=is_only)
        return [*re.split(r"(?<=[.!?]) (?=[A-Z])", hint.text), agreement]


def choose_by_score(findings: Findings, explainer: Explainer, preface: str = "") -> Selection:
    """Return the moments that changed the score most, with a sentence before what they are.

    That the only round of a match changed the score says nothing: it is told for its answers. Nor
    does it to who has won, where a round brought no good news.
    """
    moments = [explainer.tell(moment) for moment in findings.moments]
    if findings.is_single:
        moments = [told for told in moments if told.better]
    elif findings.result is Result.WON:
        moments = [told for told in explainer.drop_repeats(moments) if told.is_telling]
    summary = findings.summary if moments else "" if findings.is_single else NO_ROUND
    if (preface, summary) == (UNSURE, NO_ROUND):
        return Selection(moments, NOTHING)
    return Selection(moments, f"{preface} {in_number(summary, len(moments))}".strip())


def choose_in_only_round(
    findings: Findings,
    answers: Sequence[WeighedAnswer],
    explainer: Explainer,
    *,
    is_faultless: bool,
) -> Selection:
    """Return the only round of a match with what its answers cost, however it ended.

    That it changed the score most, or is the end, says nothing.
    """
    mistakes = sorted(
        (answer for answer in answers if answer.is_sure), key=lambda answer: -answer.cost
    )
    if mistakes:
        many = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        summary = f"You {'won, but ' * (findings.result is Result.WON)}made {many}:"
        return Selection(_unite_rounds([ToldMoment.of(answer) for answer in mistakes]), summary)
    if is_faultless:
        calm = Explainer(explainer.source, None)
        summary = _explain_faultless(findings, explainer.source)
        return Selection([calm.tell(moment) for moment in findings.rounds], summary)
    return choose_by_score(findings, explainer, UNSURE if findings.choices else NO_CHOICE)


def _explain_faultless(findings: Findings, source: HintSource | None) -> str:
    """Return the sentence on what decided a round in which a seat made no mistake.

    It was dealt bad cards, or good ones, if the best that it could expect was to lose or to win.
    """
    first, result = findings.choices[0], findings.result
    hint = find_hint(source, first.own)
    worth = find_worth(hint.answers) if hint else None
    is_dealt = worth and not any(moment.wrong for moment in findings.rounds)
    if is_dealt and Result.of(worth or 0) is result:
        side = "for" if result is Result.WON else "against"
        return f"{FAULTLESS.removesuffix('.')}: the cards decided {side} you."
    if result is Result.LOST:
        return f"{FAULTLESS.removesuffix('.')}: it was bad luck."
    return FAULTLESS


def choose_costly(
    findings: Findings,
    answers: Sequence[WeighedAnswer],
    explainer: Explainer,
    otherwise: str = UNSURE,
) -> Selection:
    """Return the costliest answers, those first that are no chance.

    Where none seems to have cost anything, the moments are those of the score, after a sentence.
    """
    moments = _list_costly(findings, answers)
    if not moments:
        return choose_by_score(findings, explainer, otherwise)
    sure = [told for told in moments if told.is_sure]
    if not sure:
        return Selection(moments, in_number(MAYBE, len(moments)))
    summary = COSTLY if len(sure) == len(moments) else MIXED
    return Selection(moments, in_number(summary, len(moments)))


def add_costly(
    selection: Selection, findings: Findings, answers: Sequence[WeighedAnswer]
) -> Selection:
    """Return the moments of a win with the answers behind them that surely cost something.

    A round is told once: one that is among the moments says what its answer cost.
    """
    costly = [told for told in _list_costly(findings, answers) if told.is_sure]
    by_span = {told.moment.span: told for told in costly}
    moments = [
        evolve(told, better=by_span.pop(told.moment.span).better)
        if told.moment.span in by_span
        else told
        for told in selection.moments
    ]
    added = [*by_span.values()][: MAX_TOLD - len(moments)]
    if not added:
        return Selection(moments, selection.summary)
    then = in_number(THEN_COSTLY if moments else COSTLY, len(added))
    before = selection.summary.removesuffix(":")
    return Selection([*moments, *added], f"{before}{'' if moments else ' '}{then}".lstrip())


def _list_costly(findings: Findings, answers: Sequence[WeighedAnswer]) -> list[ToldMoment]:
    """Return the moments of answers that seem to have cost something, the costliest first.

    What may be chance goes behind, and there first what the score says, too.
    """
    fallen = {moment.span for moment in findings.moments}

    def rank(answer: WeighedAnswer) -> tuple[bool, bool, float]:
        is_fallen = answer.choice.moment.span in fallen
        return not answer.is_sure, not answer.is_sure and not is_fallen, -answer.cost

    costly = [answer for answer in answers if answer.cost > 0 and (answer.is_sure or answer.maybe)]
    return _unite_rounds([ToldMoment.of(answer) for answer in sorted(costly, key=rank)])


def _unite_rounds(moments: Sequence[ToldMoment]) -> list[ToldMoment]:
    """Return the first moments in their order, each round once, with all that is said of it.

    Of a match of several chapters, such as deals, they are of as many chapters as can be told.
    """
    rounds: dict[tuple[int, int], ToldMoment] = {}
    for told in moments:
        first = rounds.setdefault(told.moment.span, told)
        if first is not told and first.is_sure == told.is_sure:
            rounds[told.moment.span] = evolve(first, better=f"{first.better} {told.better}")
    chosen = spread(rounds.values(), lambda told: told.moment.chapter)
    sure = {told.moment.chapter for told in chosen if told.moment.chapter and told.is_sure}
    spans = {told.moment.span for told in chosen[: min(MAX_TOLD, max(MAX_MOMENTS, len(sure)))]}
    return [told for span, told in rounds.items() if span in spans]


def choose_losses(
    findings: Findings, answers: Sequence[WeighedAnswer], explainer: Explainer
) -> Selection | None:
    """Return the rounds in which an answer led to a loss; None if there are none.

    These are told whatever they cost, those that surely cost most first, then those in which the
    seat fell behind most, but for what the source of hints answers, too: that was bad luck. What
    surely cost something follows; what may be chance is left out.
    """
    costly = {
        answer.choice.moment.span: answer
        for answer in sorted(answers, key=lambda answer: answer.cost)
        if answer.is_sure and answer.choice.is_wrong
    }
    wrong = [moment for moment in findings.rounds if any(map(explainer.is_mistake, moment.wrong))]
    if not wrong:
        return None

    def rank(moment: Moment) -> tuple[float, float, tuple[int, int]]:
        cost = costly[moment.span].cost if moment.span in costly else 0.0
        return -cost, moment.change, moment.span

    wrong.sort(key=rank)
    losses = [
        _tell_loss(moment, costly[moment.span])
        if moment.span in costly
        else explainer.tell(moment, moment.wrong[-1].line + 1)
        for moment in wrong[:MAX_MOMENTS]
    ]
    spans = {moment.span for moment in wrong}
    others = [
        told
        for told in _list_costly(findings, answers)
        if told.is_sure and told.moment.span not in spans
    ][: MAX_MOMENTS - len(losses)]
    return Selection([*losses, *others], LOSSES if others else in_number(ONLY_LOSSES, len(losses)))


def choose_unlucky(findings: Findings, explainer: Explainer) -> Selection | None:
    """Return the rounds in which an answer led to a loss that was no mistake; None without any.

    Those go first in which the seat fell behind most.
    """
    wrong = sorted(
        (moment for moment in findings.rounds if moment.wrong), key=lambda moment: moment.change
    )[:MAX_MOMENTS]
    moments = [explainer.tell(moment, moment.wrong[-1].line + 1) for moment in wrong]
    return Selection(moments, in_number(UNLUCKY, len(moments))) if moments else None


def _tell_loss(moment: Moment, costly: WeighedAnswer) -> ToldMoment:
    """Return a round in which answers led to a loss, with what the costliest has cost."""
    own = costly.choice.own
    others = [moment.find_truth(wrong) for wrong in moment.wrong if wrong is not own]
    better = " ".join(filter(None, [*others, costly.better]))
    return ToldMoment(
        moment, own.line + 1, moment.title, better,
        is_sure=True, has_prospects=costly.has_prospects,
    )  # fmt: skip


def in_number(summary: str, moments: int) -> str:
    """Return the summary of so many moments in the singular, if there is one.

    >>> in_number(COSTLY, 2), in_number(COSTLY, 1)
    ('Your answers that cost you most, the worst first:', 'Your answer that cost you most:')
    """
    for several, one in SINGULAR.items() if moments == 1 else ():
        summary = summary.replace(several, one)
    return summary


def mention_end(summary: str) -> str:
    """Return a summary of moments behind which the end is told, whatever it cost.

    >>> mention_end("Your answers that led to a loss:")
    'Your answers that led to a loss, and how it ended:'
    >>> mention_end("You made no mistake.")
    'You made no mistake. How it ended:'
    """
    if not summary.endswith(":"):
        return f"{summary} How it ended:".lstrip()
    return f"{summary.removesuffix(':')}, and how it ended:"


def add_end(selection: Selection, end: Moment | None, explainer: Explainer) -> Selection:
    """Return the moments with the end among them, if it is to be told.

    A round is told once: if the end has cost most, it is the first moment; else it is the last, and
    the summary says so.
    """
    if end is None:
        return selection
    if any(told.moment.span == end.span for told in selection.moments):
        moments = [
            evolve(told, title=end.title) if told.moment.span == end.span else told
            for told in selection.moments
        ]
        return Selection(moments, selection.summary)
    moments = [*selection.moments[: MAX_TOLD - 1], explainer.tell(end)]
    return Selection(moments, mention_end(selection.summary))
