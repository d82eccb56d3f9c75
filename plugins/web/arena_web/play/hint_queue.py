"""Hints for people at tables, computed one at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field

from arena import Hint, HintedAnswer, HintSource, OneOf, Question
from arena.wires import to_printable
from arena_web.http.worker_threads import LimitedThreads
from arena_web.play.chairs import OpenQuestion

MAX_PARALLEL = 1  # hints that are computed at once: each may take a second
MAX_WAITING = 20  # hints that are waited for; the next request is refused
RETRY_SECONDS = 2  # seconds after which a refused request may come again


@define(eq=False)
class HintQueue:
    """Computes hints, one at a time."""

    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )

    async def find(self, source: HintSource, question: OpenQuestion) -> dict[str, Any]:
        """Return a hint as JSON.

        Raises:
            UserError: The source knows nothing of this position.
            HTTPException: Too many people wait for hints.
        """
        if forced := _find_forced_hint(question.state.question):
            return serialize_hint(source, forced, question.say)
        compute_hint = partial(source.compute_hint, question.state)
        hint = await self._threads.run(compute_hint)
        return serialize_hint(source, hint, question.say)


def _find_forced_hint(question: Question[Any]) -> Hint | None:
    """Return the only answer to a question, if there is but one: no source has a reason for it."""
    match question.options:
        case OneOf() as options if len(options) == 1:
            text = "It is the only answer that they allow."
            return Hint(text, (HintedAnswer(options[0]),), "The rules")
    return None


def serialize_hint(source: HintSource, hint: Hint, say: Callable[[Any], str]) -> dict[str, Any]:
    """Return a hint as JSON, with its answers in the words of the game."""
    answers = [
        {
            "answer": candidate.answer,
            "label": to_printable(say(candidate.answer)),
            "share": min(1.0, max(0.0, candidate.share)),
            "text": to_printable(candidate.text),
        }
        for candidate in hint.answers
    ]
    about = {"source": to_printable(hint.source or source.title), "text": to_printable(hint.text)}
    return {**about, "answers": answers}
