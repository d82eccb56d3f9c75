"""Showing a match to people who watch and may see everything, as it is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.plugins import Answered, MatchSpec, Observer
from arena.records.eye import Eye, Step
from arena.rules import Outcome, Seat, Verdict

Show = Callable[[str], None]


class Watcher(Observer):
    """Shows a match line by line, in the words of its game's view."""

    def __init__(self, spec: MatchSpec, show: Show) -> None:
        self._eye, self._output = Eye(spec.game, spec.variant, spec.names), show
        self._show(self._eye.begin())

    def told(self, seat: Seat | None, event: Any) -> None:
        """Show an event."""
        self._show(self._eye.told(seat, event))

    def answered(self, answer: Answered) -> None:
        """Show an answer."""
        self._show(self._eye.answered(answer.seat, answer.question, answer.answer))

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Show a verdict, and what was said."""
        self._show(self._eye.failed(seat, verdict))

    def ended(self, outcome: Outcome) -> None:
        """Show how it came out."""
        self._show(self._eye.ended(outcome))

    def _show(self, step: Step) -> None:
        for line in step.words:
            self._output(line)
