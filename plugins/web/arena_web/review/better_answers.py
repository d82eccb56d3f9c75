"""What would have been better in a round, in sentences: the truth, and what a hint says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from arena import AnswerContrast, Hint, HintSource, Mark, SomeOf, UserError, format_share
from arena.wires import freeze
from arena_web.review.moments import Moment, Result
from arena_web.review.own_answers import OwnAnswer, is_marked

MAX_CACHED_HINTS = 256  # hints that are remembered: those of a long match
MAX_ANSWERS = 3  # of a hint that draws among several
SMALLEST_SHARE = 0.005  # of an answer that is written as more than 0 %


@lru_cache(maxsize=MAX_CACHED_HINTS)
def find_hint(source: HintSource | None, own: OwnAnswer) -> Hint | None:
    """Return the hint for the question of an answer, if there is one."""
    with suppress(UserError):
        return source.compute_hint(own.state) if source else None
    return None


def rate_answer(hint: Hint | None, own: OwnAnswer) -> float:
    """Return the share of an answer in a hint over that of the likeliest; 1: there is no hint."""
    if hint is None:
        return 1.0
    is_set = isinstance(own.state.question.options, SomeOf)  # of cards, in any order
    sort: Callable[[Any], Any] = sorted if is_set else freeze
    answer = sort(own.answer)
    share = sum(candidate.share for candidate in hint.answers if sort(candidate.answer) == answer)
    return share / max(candidate.share for candidate in hint.answers)


def describe_better_answer(
    moment: Moment, source: HintSource | None, result: Result | None = None
) -> str:
    """Return the sentences on the answers of a round, and on those of a source of hints.

    It is empty where they would say no more than what was answered.
    Answers that led to a loss go before others, then those about something that the seat could not
    see; of these the one counts that the source gives least often.
    """
    truths = " ".join(own.truth for own in moment.choices or moment.answers if own.truth)
    if not moment.choices:
        return (
            truths if result is Result.WON else f"You had nothing to decide here. {truths}".rstrip()
        )
    choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices
    own = min(choices, key=lambda own: rate_answer(find_hint(source, own), own))
    hint = describe_hint(own, source, result)
    return f"{truths or own.sentence} {hint}".rstrip() if truths or hint else ""


def describe_hint(own: OwnAnswer, source: HintSource | None, result: Result | None = None) -> str:
    """Return the answer of a source of hints to the question of an answer, with its reason.

    Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
    against the truth.
    """
    hint = find_hint(source, own)
    is_same = rate_answer(hint, own) >= 1
    proved_right = is_marked(own.truth, Mark.WON)
    if source is None or hint is None or (not is_same and (result is Result.WON or proved_right)):
        return ""
    who = hint.source or source.title
    if is_same:
        luck = ", so it may have been bad luck" if result is Result.LOST else ""
        same = f"{own.say(own.answer)}, too" if own.truth else "the same"  # which was told
        reason = "" if is_marked(own.truth, Mark.LOST) else f" {hint.text}"
        return f"{who} would have chosen {same}{luck}.{reason}"
    why = hint.text
    if source.contrast:
        contrast = contrast_answers(source, own, choose_likeliest(hint))
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
    return f"{who} would have chosen {', '.join(answers)}. {why}"


def choose_likeliest(hint: Hint) -> Any:
    """Return the answer that a hint gives most often."""
    return max(hint.answers, key=lambda candidate: candidate.share).answer


@lru_cache(maxsize=MAX_CACHED_HINTS)
def contrast_answers(source: HintSource, own: OwnAnswer, better: Any) -> AnswerContrast | None:
    """Return why another answer is better than one of a seat; None where it hardly is."""
    return source.contrast(own.state, own.answer, better) if source.contrast else None
