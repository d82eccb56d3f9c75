"""From what an agent answers to what the match reads: a value, a label, or a line as typed."""

from __future__ import annotations

import json
from typing import Any

from arena import IllegalAnswerError, UserError
from arena.wires import fold_spelling, freeze
from arena_web.play.chairs.chair import OpenQuestion
from arena_web.play.chairs.sent_answers import MAX_LINE_LENGTH, SentAnswer, is_answer
from arena_web.protocol.messages import QuestionForm


def parse_answer(question: OpenQuestion, answer: Any) -> SentAnswer:
    """Return an answer for the match, which judges it.

    A legal value goes before a label, and both before a typed line.

    Raises:
        UserError: where it is no answer to any question.
    """
    text = answer if isinstance(answer, str) else ""
    if not (is_answer(answer) and is_text(answer)) or len(text) > MAX_LINE_LENGTH:
        raise UserError(
            f"not an answer: send a value, a label, or a list of them, with at most"
            f" {MAX_LINE_LENGTH} characters"
        )
    number, options = question.number, question.state.question.options
    try:
        options.read(freeze(answer))
    except IllegalAnswerError:
        values = map_labels(question.form)
    else:
        return SentAnswer(number, answer)
    if text in question.form.standing_answers:
        return SentAnswer(number, standing=text)
    if (label := fold_spelling(text)) in values:
        return SentAnswer(number, values[label])
    if isinstance(answer, str):
        return SentAnswer(number, line=text.strip())
    if isinstance(answer, list):
        chosen = [values.get(fold_spelling(part), part) if isinstance(part, str) else part
                  for part in answer]  # fmt: skip
        return SentAnswer(number, chosen)
    return SentAnswer(number, answer)


def is_text(answer: Any) -> bool:
    """Whether all characters of an answer are whole: JSON may have halves, which no file can."""
    try:
        json.dumps(answer, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def map_labels(form: QuestionForm) -> dict[str, Any]:
    """Return the values that can be chosen by their folded labels."""
    return {fold_spelling(choice.label): choice.value for choice in form.choices}
