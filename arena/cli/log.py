"""The host's log, on standard error: an observer that writes with structlog."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Any

import structlog

from arena.hookspecs import hookimpl
from arena.observer import Answered, Observer, Setting
from arena.outcome import End, Outcome, Verdict
from arena.table import Question, Seat

LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def configure(verbose: int, log_format: str) -> None:
    """Write what is void, with `verbose` matches and verdicts too, with more every turn."""
    as_json = log_format == "json"
    render: Any = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[min(verbose, 2)]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


class Logged(Observer):
    """Writes what happens in a match."""

    def __init__(self, setting: Setting) -> None:
        self._log = structlog.get_logger().bind(match=setting.key)
        self._names = setting.names
        self._log.info("begin", game=setting.game.name, players=setting.names)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Log an event."""
        self._log.debug("told", to="all" if seat is None else self._names[seat], what=event)

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Log who is asked."""
        self._log.debug("asked", players=[self._names[seat] for seat in questions])

    def answered(self, answer: Answered) -> None:
        """Log an answer with its times."""
        self._log.debug(
            "answered",
            player=self._names[answer.seat],
            answer=answer.answer,
            seconds=round(answer.seconds, 6),
            latency=round(answer.latency, 6),
        )

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Log a verdict."""
        self._log.info(
            "verdict",
            player=self._names[seat],
            kind=str(verdict.kind),
            detail=verdict.detail,
            question=type(verdict.question).__name__,
            line=verdict.line,
            seconds=round(verdict.seconds, 6),
            limit=verdict.limit,
        )

    def ended(self, outcome: Outcome) -> None:
        """Log how the match came out."""
        if outcome.end is End.VOID:
            self._log.error("void", detail=outcome.detail)
        else:
            self._log.info("end", how=str(outcome.end), places=outcome.places)


class Logging:
    """A plugin that has every match logged."""

    @hookimpl
    def arena_observer(self, setting: Setting) -> Observer:
        """Log this match."""
        return Logged(setting)
