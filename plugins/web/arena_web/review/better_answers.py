"""What would have been better in a round, in sentences: the truth, and what a hint says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    format_share,
)
from arena.wires import freeze, is_marked
from arena_web.review.moments import Moment, Result
from arena_web.review.own_answers import OwnAnswer

MAX_CACHED_HINTS = 256  # hints that are remembered: those of a long match
MAX_ANSWERS = 3  # of a hint that draws among several
SMALLEST_SHARE = 0.005  # of an answer that is written as more than 0 %
GOOD_SHARE = 0.1  # of an answer that a source gives so often that it is no mistake
NO_CHOICE = "You had nothing to decide here."
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


def describe_better_answer(
    moment: Moment, source: HintSource | None, result: Result | None = None
) -> str:
    """Return the sentences on the answers of a round, and on those of a source of hints.

    It is empty where they would say no more than what was answered. Answers that led to a loss go
    before others, then those about something that the seat could not see; of these the one counts
    that the source gives least often, of answers that it gives itself the last.
    """
    answers = moment.choices or [own for own in moment.answers if not own.is_choice]
    truths = " ".join(filter(None, map(moment.find_truth, answers)))
    if not moment.choices:
        could = any(own.is_choice for own in moment.answers)
        idle = "No choice of yours would have changed that." if could else NO_CHOICE
        return truths if result is Result.WON else f"{idle} {truths}".rstrip()
    choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices

    def rank(own: OwnAnswer) -> tuple[float, int]:
        rate = rate_answer(find_hint(source, own), own)
        return rate, -own.line if rate >= 1 else own.line

    own = min(choices, key=rank)
    hint = describe_hint(own, source, result, is_only=len(moment.choices) == 1)
    return f"{truths} {hint}".strip()


def describe_hint(
    own: OwnAnswer,
    source: HintSource | None,
    result: Result | None = None,
    *,
    is_only: bool = True,
) -> str:
    """Return the answer of a source of hints to the question of an answer, with its reason.

    Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
    against the truth. `is_only` says that the round had no other choice.
    """
    hint = find_hint(source, own)
    if source is None or hint is None:
        return ""
    who = hint.source or source.title
    if is_good(hint, own):
        reason = "" if is_marked(own.truth, Mark.LOST) else hint.text
        return f"{describe_good_answer(own, hint, who, result, is_only=is_only)} {reason}".rstrip()
    if result is Result.WON or is_marked(own.truth, Mark.WON):
        return ""
    why = hint.text
    if source.contrast:
        contrast = contrast_answers(source, own, choose_likeliest(hint).answer)
        if contrast is None:
            return ""
        why = contrast.text
    likeliest = sorted(hint.answers, key=lambda candidate: -candidate.share)
    answers = [
        own.say(candidate.answer)
        + ("" if candidate.share == 1 else f" ({format_share(candidate.share)})")
        for candidate in likeliest[:MAX_ANSWERS]
        if candidate.share >= SMALLEST_SHARE
    ]
    other = "" if own.truth or len(answers) > 1 else f", not {own.say(own.answer)}"
    return f"{who} would have chosen {', '.join(answers)}{other}. {why}"


def describe_good_answer(
    own: OwnAnswer, hint: Hint, who: str, result: Result | None, *, is_only: bool
) -> str:
    """Return that a source of hints gives an answer, too: how often, if it draws among several."""
    is_named = own.truth or not is_only  # else it is clear which answer is meant
    same = own.say(own.answer) if is_named else "the same"
    also = "also " if is_named else ""
    share, is_lost = find_share(hint, own), result is Result.LOST
    if share > 1 - SMALLEST_SHARE:
        is_right = is_marked(own.truth, Mark.WON)
        luck = ", which was right" if is_right else ", so it may have been bad luck"
        return f"{who} would {also}have chosen {same}{luck * is_lost}."
    verdict = ", so it was no mistake" if is_lost else ""
    if share < SMALLEST_SHARE:
        return f"{who} knows no answer that is worth more{verdict}."
    return f"{who} {also}chooses {same} {format_share(share)} of the time{verdict}."


def choose_likeliest(hint: Hint) -> HintedAnswer:
    """Return the answer that a hint gives most often."""
    return max(hint.answers, key=lambda candidate: candidate.share)


@lru_cache(maxsize=MAX_CACHED_HINTS)
def contrast_answers(source: HintSource, own: OwnAnswer, better: Any) -> AnswerContrast | None:
    """Return why another answer is better than one of a seat; None where it hardly is."""
    return source.contrast(own.state, own.answer, better) if source.contrast else None
