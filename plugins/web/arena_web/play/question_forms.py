"""A question as the form of a page: its title, and the legal answers with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import Any

from arena import Between, Narrator, OneOf, OneSeat, Question, SomeOf, Text
from arena.plugins import name_question
from arena.wires import find_title, to_printable
from arena_web.protocol.messages import AnswerOptions, QuestionForm


def build_question_form(
    narrator: Narrator,
    question: Question[Any],
    *,
    number: int,
    title: str,
    guide: str,
    allowed: float | None,
) -> QuestionForm:
    """Return the form of a question that is asked now.

    Args:
        narrator: that of the seat.
        question: what is asked.
        number: of the question at the seat.
        title: above the answers.
        guide: the tip for a beginner; empty for none.
        allowed: seconds for an answer; None: all the time.
    """
    standing, closed = (
        narrator.list_standing_answers(question),
        narrator.list_closed_answers(question),
    )
    return QuestionForm(
        n=number,
        title=title,
        options=serialize_options(narrator, question),
        standing_answers=[label for label, answer in standing.items() if answer is not None],
        closed_answers={capitalize(label): to_printable(why) for label, why in closed.items()},
        default=question.default,
        guide=guide,
        allowed=allowed,
        at=time(),
    )


def serialize_options(narrator: Narrator, question: Question[Any]) -> AnswerOptions:
    """Return the legal answers as JSON, with labels if there is a choice."""
    match question.options:
        case OneOf() as options:
            about = [to_printable(narrator.explain(question, option)) for option in options]
            labels = _label(narrator, question, options)
            return {"one": [*options], "labels": labels, "about": about}
        case SomeOf(cards) as options:
            sizes = options.sizes
            return {
                "some": [*cards],
                "labels": _label(narrator, question, cards),
                "least": sizes[0],
                "most": sizes[-1],
                "submits": [narrator.submit(question, size) for size in sizes],
            }
        case Between(low, high, step) as numbers:
            return {"number": {"min": low, "max": high, "step": step}, "hint": str(numbers)}
        case Text(pattern):
            return {"text": pattern, "hint": f"a text that matches {pattern}"}
    return {"line": ""}


def _label(narrator: Narrator, question: Question[Any], options: Sequence[Any]) -> list[str]:
    """Return the narrator's words for options; those that are no name of a player begin big."""
    labels = [narrator.spell(question, option)[0] for option in options]
    if isinstance(question.options, OneSeat):
        return labels
    return [capitalize(label) for label in labels]


def capitalize(label: str) -> str:
    """Return a label with its first letter as a capital, and all others as they are."""
    return label[:1].upper() + label[1:]


def split_title(question: Question[Any], words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the title of a question, from its class name if no line is one, and the other lines.

    >>> split_title(Question(OneOf((1, 2))), ["Your hand: 1 2"])
    ('Your turn: question', ('Your hand: 1 2',))
    """
    at = find_title(words)
    if at is None:
        return f"Your turn: {name_question(type(question).__name__)}", tuple(words)
    return words[at].strip(), (*words[:at], *words[at + 1 :])
