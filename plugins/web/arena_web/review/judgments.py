"""What a source of hints says of the answers of a seat: which are mistakes, and what was better."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

from arena import AnswerContrast, Hint, HintedAnswer, HintSource, Mark, SomeOf, UserError
from arena.wires import freeze, is_marked
from arena_web.protocol.messages import SeatOutcome
from arena_web.review.moments import Moment
from arena_web.review.own_answers import OwnAnswer
from arena_web.review.statements import (
    SMALLEST_SHARE,
    Agreement,
    Alternative,
    Contrast,
    NothingToDecide,
    Statement,
    list_reasons,
    list_truths,
)

MAX_ANSWERS = 3  # of a hint that draws among several
GOOD_SHARE = 0.1  # of an answer that a source gives so often that it is no mistake
SMALLEST_LOSS = 0.005  # of an answer that is worth less than another one, beyond rounding


@frozen(eq=False)
class Judgment:
    """An answer of a seat beside the hint for its question."""

    own: OwnAnswer
    source: HintSource
    hint: Hint

    @property
    def who(self) -> str:
        """Who gives the hint."""
        return self.hint.source or self.source.title

    @property
    def likeliest(self) -> HintedAnswer:
        """The answer that the hint gives most often."""
        return max(self.hint.answers, key=lambda candidate: candidate.share)

    @property
    def same(self) -> list[HintedAnswer]:
        """Those answers of the hint that are the same as that of the seat."""
        is_set = isinstance(self.own.state.question.options, SomeOf)  # of cards, in any order
        sort: Callable[[Any], Any] = sorted if is_set else freeze
        answer = sort(self.own.answer)
        return [candidate for candidate in self.hint.answers if sort(candidate.answer) == answer]

    @property
    def share(self) -> float:
        """How often a good player gives the answer of the seat, from 0 to 1."""
        return sum(candidate.share for candidate in self.same)

    @property
    def rate(self) -> float:
        """The share of the answer over that of the likeliest."""
        return self.share / self.likeliest.share

    @property
    def worth(self) -> float | None:
        """The worth of the best answer; None: it is not known exactly."""
        return _find_worth(self.hint.answers)

    @property
    def loss(self) -> float | None:
        """By how much the answer is worth less than the best one; None: it is not known exactly."""
        own, best = _find_worth(self.same), self.worth
        return None if own is None or best is None else best - own

    @property
    def is_good(self) -> bool:
        """Whether it is no mistake: a good player gives it too, or no answer is worth more."""
        if self.rate >= 1 or self.share >= GOOD_SHARE:
            return True
        return self.loss is not None and self.loss < SMALLEST_LOSS

    @cached_property
    def contrast(self) -> AnswerContrast | None:
        """Why the hint is better; None where it hardly is, or its source contrasts no answers."""
        if self.source.contrast is None:
            return None
        return self.source.contrast(self.own.state, self.own.answer, self.likeliest.answer)

    def explain(
        self, outcome: SeatOutcome | None = None, *, is_only: bool = True
    ) -> list[Statement]:
        """Return what the source answers to the question, with its reasons.

        Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
        against the truth. `is_only` says that the round had no other choice.
        """
        own, hint = self.own, self.hint
        is_lost, is_right = is_marked(own.truth, Mark.LOST), is_marked(own.truth, Mark.WON)
        if self.is_good:
            name = own.say(own.answer) if own.truth or not is_only else ""
            agreement = Agreement(self.who, self.share, outcome, is_right, name)
            return [agreement, *list_reasons(() if is_lost else hint.reasons)]
        if outcome is SeatOutcome.WON or is_right:
            return []
        reasons = list_reasons(hint.reasons)
        if self.source.contrast:
            if self.contrast is None:
                return []
            reasons = [Contrast(self.contrast.text)]
        likeliest = sorted(hint.answers, key=lambda candidate: -candidate.share)
        answers = [
            (own.say(candidate.answer), candidate.share)
            for candidate in likeliest[:MAX_ANSWERS]
            if candidate.share >= SMALLEST_SHARE
        ]
        given = "" if own.truth else own.say(own.answer)
        return [Alternative(self.who, tuple(answers), given), *reasons]


def _find_worth(answers: Iterable[HintedAnswer]) -> float | None:
    """Return the worth of the best of these answers; None: it is not known exactly."""
    worths = (candidate.worth for candidate in answers)
    return max((worth for worth in worths if worth is not None), default=None)


@define(eq=False)
class AnswerJudge:
    """Judges the answers of a seat in one match, each of them once."""

    source: HintSource | None  #: of hints; None: nothing is known of answers
    _judgments: dict[OwnAnswer, Judgment | None] = field(init=False, factory=dict)

    def judge(self, own: OwnAnswer) -> Judgment | None:
        """Return an answer beside the hint for its question, if there is one."""
        if own not in self._judgments:
            self._judgments[own] = self._ask(own)
        return self._judgments[own]

    def _ask(self, own: OwnAnswer) -> Judgment | None:
        with suppress(UserError):
            if self.source:
                return Judgment(own, self.source, self.source.compute_hint(own.state))
        return None

    def explain_round(
        self, moment: Moment, outcome: SeatOutcome | None, harmless: Container[int] = ()
    ) -> list[Statement]:
        """Return what is to say of the answers of a round, and of those of the source of hints.

        There is none where it would be no more than what was answered. Answers that led to a loss
        go before others, then those about something that the seat could not see; of these the one
        counts that the source gives least often, of answers that it gives itself the last. Those
        at `harmless` lines came out hardly worse than what the source gives, so only a loss is
        held against them.
        """
        answers = moment.choices or [own for own in moment.answers if not own.is_choice]
        if moment.wrong:  # then it says nothing that others were right
            answers = [own for own in answers if not is_marked(own.truth, Mark.WON)]
        told = [moment.find_truth(own) for own in answers]
        if outcome is SeatOutcome.WON:  # who reads of gains, not of what would have been better
            told = [truth for truth in told if not is_marked(truth, Mark.LOST)]
        truths = list_truths(told)
        if not moment.choices:
            nothing = NothingToDecide(any(own.is_choice for own in moment.answers))
            return truths if outcome is SeatOutcome.WON else [nothing, *truths]
        own = self.choose_answer(moment)
        judgment = self.judge(own)
        is_harmless = own.line in harmless and own not in moment.wrong
        if judgment is None or (is_harmless and not judgment.is_good):
            return truths
        return [*truths, *judgment.explain(outcome, is_only=len(moment.choices) == 1)]

    def choose_answer(self, moment: Moment) -> OwnAnswer:
        """Return the answer of a round that is explained, of those that were choices."""
        choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices
        return min(choices, key=self._rank)

    def _rank(self, own: OwnAnswer) -> tuple[float, int]:
        """Return what is least for the answer of a round that is to be explained."""
        judgment = self.judge(own)
        rate = judgment.rate if judgment else 1.0
        return rate, -own.line if rate >= 1 else own.line
