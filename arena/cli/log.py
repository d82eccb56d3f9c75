"""The host's log, on standard error: an observer that writes with structlog.

structlog takes a third of a second to import, so it is imported when something is
written, and most matches write nothing.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import define

from arena.hookspecs import hookimpl
from arena.observer import Answered, Observer, Setting
from arena.outcome import Outcome, Verdict
from arena.printable import printable
from arena.table import Question, Seat

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


@define(slots=False)
class Log:
    """A plugin that has every match logged, as far as the level goes.

    Warnings are verdicts and void matches; `verbose` once writes the matches, twice every
    turn. `quiet` leaves out the warnings that the caller shows anyway.
    """

    verbose: int = 0
    form: str = "console"
    quiet: bool = False

    @hookimpl
    def arena_observer(self, setting: Setting) -> Observer:
        """Log this match."""
        return Logged(setting, self)

    @property
    def level(self) -> int:
        """Give the level from which on things are written."""
        quiet = self.quiet and not self.verbose
        return logging.CRITICAL if quiet else LEVELS[min(self.verbose, 2)]

    def void(self, key: str, outcome: Outcome) -> None:
        """Log that a match is void, which may come out when all observers are done."""
        self.write(logging.ERROR, "void", match=key, detail=printable(outcome.detail))

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


class Logged(Observer):
    """Writes what happens in a match."""

    def __init__(self, setting: Setting, log: Log) -> None:
        self._key, self._names, self._log = setting.key, setting.names, log
        self._write(logging.INFO, "begin", game=setting.game.name, players=setting.names)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Log an event."""
        to = "all" if seat is None else self._names[seat]
        self._write(logging.DEBUG, "told", to=to, what=event)

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Log who is asked."""
        self._write(logging.DEBUG, "asked", players=[self._names[seat] for seat in questions])

    def answered(self, answer: Answered) -> None:
        """Log an answer with its times."""
        self._write(
            logging.DEBUG,
            "answered",
            player=self._names[answer.seat],
            answer=answer.answer,
            seconds=round(answer.seconds, 6),
            latency=round(answer.latency, 6),
        )

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Log a verdict."""
        self._write(
            logging.WARNING,
            "verdict",
            player=self._names[seat],
            kind=str(verdict.kind),
            detail=printable(verdict.detail),
            question=type(verdict.question).__name__,
            line=printable(verdict.line),
            seconds=round(verdict.seconds, 6),
            limit=verdict.limit,
        )

    def ended(self, outcome: Outcome) -> None:
        """Log how the match came out."""
        self._write(logging.INFO, "end", how=str(outcome.end), places=outcome.places)

    def _write(self, level: int, message: str, **fields: Any) -> None:
        self._log.write(level, message, match=self._key, **fields)
