"""The host's log, on standard error: an observer that writes with structlog.

Importing structlog takes a third of a second, so it is imported at the first log line, which most
matches do not have.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import define

from arena.plugins import AcceptedAnswer, MatchSpec, Observer
from arena.rules import Outcome, Question, Seat, Verdict
from arena.wires import to_printable

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


@define(slots=False)
class MatchLog:
    """Logs every match at the chosen level.

    Warnings are verdicts and void matches; a `verbose` of 1 also logs the matches, 2 every turn.
    `quiet` leaves out the warnings that the caller shows itself.
    """

    verbose: int = 0
    form: str = "console"
    quiet: bool = False

    def build_observer(self, spec: MatchSpec) -> Observer:
        """Return an observer that logs this match at the chosen level."""
        watching = {logging.DEBUG: TurnLogger, logging.INFO: MatchLogObserver}.get(
            self.level, VerdictLogger
        )
        return watching(spec, self)

    @cached_property
    def level(self) -> int:
        """The lowest level that is written."""
        quiet = self.quiet and not self.verbose
        return logging.CRITICAL if quiet else LEVELS[min(self.verbose, 2)]

    def log_void(self, key: str, outcome: Outcome) -> None:
        """Log that a match is void, which may be known only after all observers have finished."""
        self.write(logging.ERROR, "void", match=key, detail=to_printable(outcome.detail))

    def write(self, level: int, message: str, **fields: Any) -> None:
        """Write a line, if the level is high enough."""
        if level >= self.level:
            self._logger.log(level, message, **fields)

    @cached_property
    def _logger(self) -> FilteringBoundLogger:
        import structlog

        colors = sys.stderr.isatty()
        render: Any = (
            structlog.processors.JSONRenderer()
            if self.form == "json"
            else structlog.dev.ConsoleRenderer(colors=colors)
        )
        made: FilteringBoundLogger = structlog.wrap_logger(
            structlog.PrintLogger(sys.stderr),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                render,
            ],
            wrapper_class=structlog.make_filtering_bound_logger(self.level),
        )
        return made


class VerdictLogger(Observer):
    """Logs verdicts."""

    def __init__(self, spec: MatchSpec, log: MatchLog) -> None:
        self._key, self._names, self._log = spec.key, spec.names, log

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Log a verdict."""
        self._write(
            logging.WARNING,
            "verdict",
            player=self._names[seat],
            kind=str(verdict.kind),
            detail=to_printable(verdict.detail),
            question=type(verdict.question).__name__,
            line=to_printable(verdict.line),
            seconds=round(verdict.seconds, 6),
            limit=verdict.limit,
        )

    def _write(self, level: int, message: str, **fields: Any) -> None:
        self._log.write(level, message, match=self._key, **fields)


class MatchLogObserver(VerdictLogger):
    """Logs the start and the end of a match as well."""

    def __init__(self, spec: MatchSpec, log: MatchLog) -> None:
        super().__init__(spec, log)
        self._write(logging.INFO, "begin", game=spec.game.name, players=spec.names)

    def on_outcome(self, outcome: Outcome) -> None:
        """Log the outcome of the match."""
        self._write(logging.INFO, "end", how=str(outcome.end), places=outcome.places)


class TurnLogger(MatchLogObserver):
    """Logs everything in a match."""

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Log an event."""
        to = "all" if seat is None else self._names[seat]
        self._write(logging.DEBUG, "told", to=to, what=event)

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Log the seats that are asked."""
        self._write(logging.DEBUG, "asked", players=[self._names[seat] for seat in questions])

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Log an answer with its time."""
        self._write(
            logging.DEBUG,
            "answered",
            player=self._names[answer.seat],
            answer=answer.answer,
            seconds=round(answer.seconds, 6),
            latency=round(answer.latency, 6),
        )

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Log the seats whose questions were withdrawn, if any."""
        if questions:
            names = [self._names[seat] for seat in questions]
            self._write(logging.DEBUG, "withdrawn", players=names)
