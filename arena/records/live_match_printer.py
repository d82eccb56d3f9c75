"""Printing a match while it is played, for spectators who may see everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.plugins import AcceptedAnswer, MatchSpec, Observer
from arena.records.match_step import MatchStep
from arena.records.perspective import Perspective
from arena.rules import Outcome, Seat, Verdict

PrintLine = Callable[[str], None]


class MatchPrinter(Observer):
    """Prints a match line by line, in the words of its game's view."""

    def __init__(self, spec: MatchSpec, show: PrintLine) -> None:
        self._eye, self._output = Perspective(spec.game, spec.variant, spec.names), show
        self._show(self._eye.begin())

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Show an event."""
        self._show(self._eye.see_event(seat, event))

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Show an answer."""
        self._show(self._eye.see_answer(answer.seat, answer.question, answer.answer))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Show a verdict, and the output that it quotes."""
        self._show(self._eye.see_verdict(seat, verdict))

    def on_outcome(self, outcome: Outcome) -> None:
        """Show the outcome."""
        self._show(self._eye.see_outcome(outcome))

    def _show(self, step: MatchStep) -> None:
        for line in step.words:
            self._output(line)
