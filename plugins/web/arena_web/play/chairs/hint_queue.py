"""Hints for people at tables, computed one at a time."""

from __future__ import annotations

from functools import partial
from typing import Any

from attrs import define, field

from arena import Hint, HintedAnswer, HintSource, OneOf, Question, UserError
from arena.wires import to_printable
from arena_web.http.worker_threads import LimitedThreads
from arena_web.play.chairs.chair import OpenQuestion
from arena_web.protocol.replies import GivenHint, NoHint

MAX_PARALLEL = 1  # hints that are computed at once: each may take a second
MAX_WAITING = 20  # hints that are waited for; the next request is refused
RETRY_SECONDS = 2  # seconds after which a refused request may come again


@define(eq=False)
class HintQueue:
    """Computes hints, one at a time."""

    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )

    async def find(self, source: HintSource, question: OpenQuestion) -> GivenHint | NoHint:
        """Return a hint, or that the source knows nothing of the position.

        Raises:
            BusyError: Too many people wait for hints.
        """
        if forced := _find_forced_hint(question.state.question):
            return GivenHint.of(source, forced, question.say)
        return await self._threads.run(partial(_compute_hint, source, question))


def _find_forced_hint(question: Question[Any]) -> Hint | None:
    """Return the only answer to a question, if there is but one: no source has a reason for it."""
    match question.options:
        case OneOf() as options if len(options) == 1:
            text = "It is the only answer that they allow."
            return Hint(text, (HintedAnswer(options[0]),), "The rules")
    return None


def _compute_hint(source: HintSource, question: OpenQuestion) -> GivenHint | NoHint:
    try:
        hint = source.compute_hint(question.state)
    except UserError as problem:
        return NoHint(to_printable(problem.message))
    return GivenHint.of(source, hint, question.say)
