"""What would have been better in a round: the truth, and what a source of hints says."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from arena import (
    AnswerContrast,
    Hint,
    HintedAnswer,
    HintSource,
    Mark,
    SomeOf,
    UserError,
)
from arena.wires import freeze, is_marked
from arena_web.review.moments import Moment
from arena_web.review.own_answers import OwnAnswer
from arena_web.review.results import Result
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

MAX_CACHED_HINTS = 256  # hints that are remembered: those of a long match
MAX_ANSWERS = 3  # of a hint that draws among several
GOOD_SHARE = 0.1  # of an answer that a source gives so often that it is no mistake
SMALLEST_LOSS = 0.005  # of an answer that is worth less than another one, beyond rounding


@lru_cache(maxsize=MAX_CACHED_HINTS)
def find_hint(source: HintSource | None, own: OwnAnswer) -> Hint | None:
    """Return the hint for the question of an answer, if there is one."""
    with suppress(UserError):
        return source.compute_hint(own.state) if source else None
    return None


def list_same(hint: Hint, own: OwnAnswer) -> list[HintedAnswer]:
    """Return those answers of a hint that are the same as an answer of a seat."""
    is_set = isinstance(own.state.question.options, SomeOf)  # of cards, in any order
    sort: Callable[[Any], Any] = sorted if is_set else freeze
    answer = sort(own.answer)
    return [candidate for candidate in hint.answers if sort(candidate.answer) == answer]


def find_share(hint: Hint, own: OwnAnswer) -> float:
    """Return how often a good player gives an answer, from 0 to 1."""
    return sum(candidate.share for candidate in list_same(hint, own))


def judge_answer(source: HintSource | None, own: OwnAnswer) -> bool | None:
    """Return whether an answer is no mistake, by a source of hints; None: it has no hint."""
    hint = find_hint(source, own)
    return is_good(hint, own) if hint else None


def rate_answer(hint: Hint | None, own: OwnAnswer) -> float:
    """Return the share of an answer in a hint over that of the likeliest; 1: there is no hint."""
    if hint is None:
        return 1.0
    return find_share(hint, own) / max(candidate.share for candidate in hint.answers)


def compute_loss(hint: Hint, own: OwnAnswer) -> float | None:
    """Return how much less an answer is worth than the best one; None: it is not known exactly."""
    mine, best = find_worth(list_same(hint, own)), find_worth(hint.answers)
    return None if mine is None or best is None else best - mine


def find_worth(answers: Iterable[HintedAnswer]) -> float | None:
    """Return the worth of the best of these answers; None: it is not known exactly."""
    return max((each.worth for each in answers if each.worth is not None), default=None)


def is_good(hint: Hint, own: OwnAnswer) -> bool:
    """Whether an answer is no mistake: a good player gives it too, or no answer is worth more."""
    if rate_answer(hint, own) >= 1 or find_share(hint, own) >= GOOD_SHARE:
        return True
    loss = compute_loss(hint, own)
    return loss is not None and loss < SMALLEST_LOSS


def explain_round(
    moment: Moment,
    source: HintSource | None,
    result: Result | None = None,
    harmless: Container[int] = (),
) -> list[Statement]:
    """Return what is to say of the answers of a round, and of those of a source of hints.

    There is none where it would be no more than what was answered. Answers that led to a loss go
    before others, then those about something that the seat could not see; of these the one counts
    that the source gives least often, of answers that it gives itself the last. Those at `harmless`
    lines came out hardly worse than what the source gives, so only a loss is held against them.
    """
    answers = moment.choices or [own for own in moment.answers if not own.is_choice]
    if moment.wrong:  # then it says nothing that others were right
        answers = [own for own in answers if not is_marked(own.truth, Mark.WON)]
    truths = list_truths(map(moment.find_truth, answers))
    if not moment.choices:
        nothing = NothingToDecide(any(own.is_choice for own in moment.answers))
        return truths if result is Result.WON else [nothing, *truths]
    choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices

    def rank(own: OwnAnswer) -> tuple[float, int]:
        rate = rate_answer(find_hint(source, own), own)
        return rate, -own.line if rate >= 1 else own.line

    own = min(choices, key=rank)
    is_harmless = own.line in harmless and own not in moment.wrong
    if is_harmless and judge_answer(source, own) is False:
        return truths
    return [*truths, *explain_answer(own, source, result, is_only=len(moment.choices) == 1)]


def explain_answer(
    own: OwnAnswer,
    source: HintSource | None,
    result: Result | None = None,
    *,
    is_only: bool = True,
) -> list[Statement]:
    """Return what a source of hints answers to the question of an answer, with its reasons.

    Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
    against the truth. `is_only` says that the round had no other choice.
    """
    hint = find_hint(source, own)
    if source is None or hint is None:
        return []
    who = hint.source or source.title
    is_lost, is_right = is_marked(own.truth, Mark.LOST), is_marked(own.truth, Mark.WON)
    if is_good(hint, own):
        name = own.say(own.answer) if own.truth or not is_only else ""
        agreement = Agreement(who, find_share(hint, own), result, is_right, name)
        return [agreement, *list_reasons(() if is_lost else hint.reasons)]
    if result is Result.WON or is_right:
        return []
    reasons = list_reasons(hint.reasons)
    if source.contrast:
        contrast = contrast_answers(source, own, choose_likeliest(hint).answer)
        if contrast is None:
            return []
        reasons = [Contrast(contrast.text)]
    likeliest = sorted(hint.answers, key=lambda candidate: -candidate.share)
    answers = [
        (own.say(candidate.answer), candidate.share)
        for candidate in likeliest[:MAX_ANSWERS]
        if candidate.share >= SMALLEST_SHARE
    ]
    given = "" if own.truth else own.say(own.answer)
    return [Alternative(who, tuple(answers), given), *reasons]


def choose_likeliest(hint: Hint) -> HintedAnswer:
    """Return the answer that a hint gives most often."""
    return max(hint.answers, key=lambda candidate: candidate.share)


@lru_cache(maxsize=MAX_CACHED_HINTS)
def contrast_answers(source: HintSource, own: OwnAnswer, better: Any) -> AnswerContrast | None:
    """Return why another answer is better than one of a seat; None where it hardly is."""
    return source.contrast(own.state, own.answer, better) if source.contrast else None
