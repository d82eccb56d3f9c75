"""Which moments of a match are told, in which order, and what the page says they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from attrs import evolve, frozen

from arena.wires import to_printable
from arena_web.protocol.messages import SeatOutcome
from arena_web.protocol.replies import ReviewMoment
from arena_web.review.judgments import AnswerJudge
from arena_web.review.moments import MAX_MOMENTS, Findings, Moment, find_outcome, spread
from arena_web.review.own_answers import OwnAnswer
from arena_web.review.statements import Statement, drop_repeats, list_truths, write
from arena_web.review.summaries import (
    FAULTLESS,
    NO_CHOICE,
    NO_ROUND,
    NOTHING,
    UNSURE,
    Kind,
    Summary,
)
from arena_web.review.weighing import WeighedAnswer

MAX_TOLD = 5  # moments, with the end


@frozen(eq=False)
class ToldMoment:
    """A moment as a page tells it."""

    moment: Moment
    line: int  #: of the transcript, to which it leads
    title: str
    statements: Sequence[Statement]  #: what would have been better; may be empty
    is_sure: bool = False  #: whether it says what an answer cost, beyond chance

    @classmethod
    def of(cls, answer: WeighedAnswer) -> Self:
        """Return the moment of an answer, with what would have been better."""
        moment, line = answer.choice.moment, answer.choice.own.line + 1
        better = answer.better if answer.is_sure else answer.maybe
        return cls(moment, line, moment.title, better, answer.is_sure)

    @property
    def is_telling(self) -> bool:
        """Whether it says more than a record of the round: a reason, or good news of a chapter."""
        return bool(self.statements or (self.moment.chapter and self.moment.is_good))

    @property
    def better(self) -> str:
        """What would have been better, in sentences."""
        return write(self.statements)

    @property
    def reply(self) -> ReviewMoment:
        """The moment as a page reads it."""
        words = " ".join(self.moment.words)
        return ReviewMoment(self.line, *map(to_printable, (self.title, words, self.better)))


@frozen
class Selection:
    """The moments that are told, the first of them first, with what they are."""

    moments: Sequence[ToldMoment]
    summary: Summary

    @property
    def in_order(self) -> Selection:
        """The same in the order of play: of several that were bad, the first is named the worst."""
        moments = [*self.moments]
        if self.summary.is_ranked and len(moments) > 1:
            worst = moments[0]
            also = " and" if worst.title != worst.moment.title else ","  # it is the end, too
            moments[0] = evolve(worst, title=f"{worst.title}{also} the worst")
        return evolve(self, moments=sorted(moments, key=lambda told: (told.moment.span, told.line)))

    def says(self, kind: type[Statement]) -> bool:
        """Whether one of them says something of this kind."""
        return any(isinstance(said, kind) for told in self.moments for said in told.statements)


@frozen
class MomentSelector:
    """Selects the moments of a match that a seat is told of."""

    findings: Findings
    answers: Sequence[WeighedAnswer]  #: of the seat, as far as it is known what they cost
    judge: AnswerJudge  #: of those of which it is not known

    @property
    def outcome(self) -> SeatOutcome:
        """The outcome of the match for the seat."""
        return self.findings.outcome

    @property
    def harmless(self) -> frozenset[int]:
        """The lines of answers that came out hardly worse than others."""
        return frozenset(answer.choice.own.line for answer in self.answers if not answer.is_likely)

    @property
    def is_faultless(self) -> bool:
        """Whether no answer was a mistake, by a source of hints that knows better than bots."""
        source, choices = self.judge.source, self.findings.choices
        is_known = source and not source.is_bot and choices
        return bool(is_known and not any(self._is_mistake(choice.own) for choice in choices))

    def _is_mistake(self, own: OwnAnswer) -> bool:
        """Whether the source of hints would have answered otherwise; without a hint it may be."""
        judgment = self.judge.judge(own)
        return judgment is None or not judgment.is_good

    def tell(self, moment: Moment, line: int | None = None) -> ToldMoment:
        """Return a moment of unknown cost, which leads to this line or the answer it explains."""
        statements = self.judge.explain_round(moment, self.outcome, self.harmless)
        return ToldMoment(moment, line or self._find_line(moment), moment.title, statements)

    def _find_line(self, moment: Moment) -> int:
        """Return the line to which a moment leads: that of the answer that it explains, if any."""
        return self.judge.choose_answer(moment).line + 1 if moment.choices else moment.line

    def drop_repeats(self, moments: Sequence[ToldMoment]) -> list[ToldMoment]:
        """Return moments in which nothing is said again that an earlier one says."""
        kept = drop_repeats([told.statements for told in moments], self.outcome)
        return [
            evolve(told, statements=statements)
            for told, statements in zip(moments, kept, strict=True)
        ]

    def select_weighed(self) -> Selection:
        """Return the moments of a match whose answers a source of hints and bots have weighed."""
        if self.findings.is_single:
            return self.select_only_round()
        if losses := self.select_losses():
            return losses
        if self.is_faultless:
            return self.select_costly(FAULTLESS)
        is_sure = any(answer.is_sure for answer in self.answers)
        unlucky = None if is_sure else self.select_unlucky()
        return unlucky or self.select_costly()

    def select_of_win(self) -> Selection:
        """Return the moments of a win, and the answers behind them that surely cost something.

        A round is told once: one that is among the moments says what its answer cost.
        """
        decisive = self.select_by_score()
        by_span = {told.moment.span: told for told in self._list_costly() if told.is_sure}
        moments = [
            evolve(told, statements=by_span.pop(told.moment.span).statements)
            if told.moment.span in by_span
            else told
            for told in decisive.moments
        ]
        added = [*by_span.values()][: MAX_TOLD - len(moments)]
        return Selection([*moments, *added], evolve(decisive.summary, costly=len(added)))

    def select_by_score(self, verdict: str = "") -> Selection:
        """Return the moments that changed the score most, with a sentence before what they are.

        Where no answer is blamed they are one, or one of each chapter, as there is nothing to learn
        from more. That the only round of a match changed the score says nothing: it is told for its
        answers. Nor does it to who has won, where a round brought no good news, but for the one in
        which it took the lead for good: that decided the match, whether it chose well or could not.
        """
        findings = self.findings
        moments = [self.tell(moment) for moment in findings.moments]
        kind, unit = Kind.of_score(self.outcome), findings.unit
        if findings.is_single:
            moments, kind = [told for told in moments if told.statements], Kind.ONLY_ROUND
        elif self.outcome is SeatOutcome.WON:
            moments = [told for told in self.drop_repeats(moments) if told.is_telling]
            if findings.turn and not any(told.moment.chapter for told in moments):
                moments, kind = [self.tell(findings.turn)], Kind.TURN
        moments = _choose_one_each(moments)
        if moments or findings.is_single:
            return Selection(moments, Summary(kind, len(moments), verdict, unit=unit))
        without = NOTHING if verdict == UNSURE else f"{verdict} {NO_ROUND}".strip()
        return Selection(moments, Summary(verdict=without, unit=unit))

    def select_only_round(self) -> Selection:
        """Return the only round of a match with what its answers cost, however it ended.

        That it changed the score most, or is the end, says nothing.
        """
        mistakes = sorted(
            (answer for answer in self.answers if answer.is_sure), key=lambda answer: -answer.cost
        )
        if mistakes:
            has_won = self.outcome is SeatOutcome.WON
            kind = Kind.MISTAKES_OF_WINNER if has_won else Kind.MISTAKES
            moments = _unite_rounds([ToldMoment.of(answer) for answer in mistakes])
            return Selection(moments, Summary(kind, len(mistakes)))
        if self.is_faultless:
            moments = [
                ToldMoment(
                    moment,
                    self._find_line(moment),
                    moment.title,
                    self.judge.explain_round(moment, None),
                )
                for moment in self.findings.rounds
            ]
            return Selection(moments, Summary(verdict=self._explain_faultless()))
        return self.select_by_score(UNSURE if self.findings.choices else NO_CHOICE)

    def _explain_faultless(self) -> str:
        """Return the sentence on what decided a round in which the seat made no mistake.

        It was dealt bad cards, or good ones, if the best that it could expect was to lose or win.
        """
        judgment = self.judge.judge(self.findings.choices[0].own)
        worth = judgment.worth if judgment else None
        is_dealt = worth and not any(moment.wrong for moment in self.findings.rounds)
        if is_dealt and find_outcome(worth or 0) is self.outcome:
            side = "for" if self.outcome is SeatOutcome.WON else "against"
            return f"{FAULTLESS.removesuffix('.')}: the cards decided {side} you."
        if self.outcome is SeatOutcome.LOST:
            return f"{FAULTLESS.removesuffix('.')}: it was bad luck."
        return FAULTLESS

    def select_costly(self, otherwise: str = UNSURE) -> Selection:
        """Return the costliest answers, those first that are no chance.

        Where none seems to have cost anything, the moments are those of the score, after a
        sentence.
        """
        moments = self._list_costly()
        if not moments:
            return self.select_by_score(otherwise)
        sure = [told for told in moments if told.is_sure]
        kind = Kind.COSTLY if len(sure) == len(moments) else Kind.MIXED if sure else Kind.MAYBE
        return Selection(moments, Summary(kind, len(moments)))

    def _list_costly(self) -> list[ToldMoment]:
        """Return the moments of answers that seem to have cost something, the costliest first.

        What may be chance goes behind, and there first what the score says, too.
        """
        fallen = {moment.span for moment in self.findings.moments}

        def rank(answer: WeighedAnswer) -> tuple[bool, bool, float]:
            is_fallen = answer.choice.moment.span in fallen
            return not answer.is_sure, not answer.is_sure and not is_fallen, -answer.cost

        costly = [
            answer
            for answer in self.answers
            if answer.is_sure or (answer.is_likely and answer.maybe)
        ]
        return _unite_rounds([ToldMoment.of(answer) for answer in sorted(costly, key=rank)])

    def select_losses(self) -> Selection | None:
        """Return the rounds in which an answer led to a loss; None if there are none.

        These are told whatever they cost, those that surely cost most first, then those in which
        the seat fell behind most, but for what the source of hints answers, too: that was bad luck.
        Small losses beside a large one are left out. What surely cost something follows; what may
        be chance is left out.
        """
        costly = {
            answer.choice.moment.span: answer
            for answer in sorted(self.answers, key=lambda answer: answer.cost)
            if answer.is_sure and answer.choice.is_wrong
        }
        wrong = [
            moment
            for moment in self.findings.rounds
            if any(map(self._is_mistake, moment.wrong))
            and (moment.span in costly or self.findings.is_weighty(moment))
        ]
        if not wrong:
            return None

        def rank(moment: Moment) -> tuple[float, float, tuple[int, int]]:
            cost = costly[moment.span].cost if moment.span in costly else 0.0
            return -cost, moment.change, moment.span

        wrong.sort(key=rank)
        losses = [
            _tell_loss(moment, costly[moment.span])
            if moment.span in costly
            else self.tell(moment, moment.wrong[-1].line + 1)
            for moment in wrong[:MAX_MOMENTS]
        ]
        spans = {moment.span for moment in wrong}
        others = [
            told for told in self._list_costly() if told.is_sure and told.moment.span not in spans
        ][: MAX_MOMENTS - len(losses)]
        kind = Kind.LOSSES_AND_COSTLY if others else Kind.LOSSES
        return Selection([*losses, *others], Summary(kind, len(losses) + len(others)))

    def select_unlucky(self) -> Selection | None:
        """Return the round in which an answer led to a loss that was no mistake; None without any.

        It is the one in which the seat fell behind most, and of several chapters one of each.
        """
        findings = self.findings
        wrong = sorted(
            (moment for moment in findings.rounds if moment.wrong and findings.is_weighty(moment)),
            key=lambda moment: moment.change,
        )
        moments = [self.tell(moment, moment.wrong[-1].line + 1) for moment in wrong]
        moments = _choose_one_each(moments)[:MAX_MOMENTS]
        return Selection(moments, Summary(Kind.UNLUCKY, len(moments))) if moments else None

    def add_end(self, selection: Selection) -> Selection:
        """Return the moments with the end among them, if it is to be told.

        That is where it turned the match, or where there is something to say of an answer. A round
        is told once: if the end has cost most, it is the first moment; else it is the last, and the
        summary says so.
        """
        end = self.findings.end
        if end is None:
            return selection
        if any(told.moment.span == end.span for told in selection.moments):
            moments = [
                evolve(told, title=end.title) if told.moment.span == end.span else told
                for told in selection.moments
            ]
            return Selection(moments, selection.summary)
        told_end = self.tell(end)
        is_telling = any(statement.is_telling for statement in told_end.statements)
        if not (is_telling or self.findings.is_turned_by_end):
            return selection
        moments = [*selection.moments[: MAX_TOLD - 1], told_end]
        return Selection(moments, evolve(selection.summary, has_end=True))


def _choose_one_each(moments: Sequence[ToldMoment]) -> list[ToldMoment]:
    """Return the first moment of each chapter; moments of no chapter are of the same one."""
    first: dict[str, ToldMoment] = {}
    for told in moments:
        first.setdefault(told.moment.chapter, told)
    return [*first.values()]


def _unite_rounds(moments: Sequence[ToldMoment]) -> list[ToldMoment]:
    """Return the first moments in their order, each round once, with all that is said of it.

    Of a match of several chapters, such as deals, they are of as many chapters as can be told.
    """
    rounds: dict[tuple[int, int], ToldMoment] = {}
    for told in moments:
        first = rounds.setdefault(told.moment.span, told)
        if first is not told and first.is_sure == told.is_sure:
            rounds[told.moment.span] = evolve(
                first, statements=[*first.statements, *told.statements]
            )
    chosen = spread(rounds.values(), lambda told: told.moment.chapter)
    sure = {told.moment.chapter for told in chosen if told.moment.chapter and told.is_sure}
    spans = {told.moment.span for told in chosen[: min(MAX_TOLD, max(MAX_MOMENTS, len(sure)))]}
    return [told for span, told in rounds.items() if span in spans]


def _tell_loss(moment: Moment, costly: WeighedAnswer) -> ToldMoment:
    """Return a round in which answers led to a loss, with what the costliest has cost."""
    own = costly.choice.own
    others = list_truths(moment.find_truth(wrong) for wrong in moment.wrong if wrong is not own)
    statements = [*others, *costly.better]
    return ToldMoment(moment, own.line + 1, moment.title, statements, is_sure=True)
