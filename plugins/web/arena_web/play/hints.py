"""Hints at a table: computed when a person asks, from what that person's seat was told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field, frozen

from arena import Hint, HintSource, InformationState, MatchSpec, UserError
from arena.extend import get_plugins, to_printable
from arena_web.http.worker_threads import LimitedThreads

MAX_PARALLEL = 1  # hints that are computed at once: each may take a second
MAX_WAITING = 20  # hints that are waited for; the next request is refused
RETRY_SECONDS = 2  # seconds after which a refused request may come again


@frozen
class OpenQuestion:
    """A question that a person is asked, with all that the seat knows."""

    number: int  #: of the question at this seat
    state: InformationState  #: the seat's own, without what others were told
    say: Callable[[Any], str]  #: writes an answer in the words of the game


def find_hint_source(spec: MatchSpec) -> HintSource | None:
    """Return the source of hints for a match, or None."""
    for source in get_plugins().list_hint_sources(spec.game.name):
        try:
            source.check_support(spec.variant, len(spec.names))
        except UserError:
            continue
        return source
    return None


@define(eq=False)
class HintDesk:
    """Computes hints, one at a time."""

    _threads: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(MAX_PARALLEL))

    async def find(self, source: HintSource, question: OpenQuestion) -> dict[str, Any]:
        """Return a hint as JSON.

        Raises:
            UserError: The source knows nothing of this position.
            HTTPException: Too many people wait for hints.
        """
        compute_hint = partial(source.compute_hint, question.state)
        hint = await self._threads.run(compute_hint, MAX_WAITING, RETRY_SECONDS)
        return serialize_hint(source, hint, question.say)


def serialize_hint(source: HintSource, hint: Hint, say: Callable[[Any], str]) -> dict[str, Any]:
    """Return a hint as JSON, with its answers in the words of the game."""
    answers = [
        {
            "label": to_printable(say(hinted.answer)),
            "share": min(1.0, max(0.0, hinted.share)),
            "text": to_printable(hinted.text),
        }
        for hinted in hint.answers
    ]
    about = {"source": to_printable(source.title), "text": to_printable(hint.text)}
    return {**about, "answers": answers}
