"""What a command that hosts matches shows of them: its log, transcripts, results and progress.

Importing structlog takes a third of a second, and Rich a tenth, so each is imported when something
is written with it: most matches have no line in the log, and JSON needs no table.
"""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from attrs import Factory, define, frozen

from arena.host import Result, SeriesTally
from arena.plugins import AcceptedAnswer, MatchSpec, Observer
from arena.records import SUFFIX, Recorder
from arena.rules import Outcome, Question, Seat, UserError, Verdict
from arena.wires import to_printable

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

    from arena.records import Perspective

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


def check_folder_name(path: Path, option: str) -> None:
    """Refuse a path that names a file where an option needs a folder for several transcripts."""
    if path.suffix == SUFFIX and not os.path.isdir(path):
        folder = path.with_suffix("")
        raise UserError(
            f"{option} {path}: several matches need a folder; name one without {SUFFIX},"
            f" such as {folder}"
        )


@frozen
class TranscriptRecorder:
    """Records every match: one in a file, several in a folder."""

    path: Path
    several: bool

    def build_observer(self, spec: MatchSpec, number: int) -> Recorder:
        """Return an observer that records the match of this number, from 0."""
        return Recorder(spec, _open_transcript(self.choose_path(spec, number)))

    def choose_path(self, spec: MatchSpec, number: int) -> Path:
        """Return the path of the transcript of the match of this number."""
        if self.several or os.path.isdir(self.path):
            return self.path / f"{number + 1:04}-{spec.key}{SUFFIX}"
        return self.path


def _open_transcript(path: Path) -> IO[str]:
    from arena.files import open_without_waiting  # here: most commands write no transcripts

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "w", encoding="utf-8", opener=open_without_waiting)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None


class TurnCollector(Observer):
    """Keeps the last turning point of a match."""

    def __init__(self, eye: Perspective) -> None:
        self._eye = eye
        self.last = ""
        eye.begin()

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Look at an event."""
        self.last = self._eye.see_event(seat, event).turn or self.last


@define
class SeriesReport:
    """The results of all players so far."""

    tally: SeriesTally = Factory(SeriesTally)
    void: list[str] = Factory(list)  # the reasons of void matches
    failures: dict[tuple[str, str, str, str], str] = Factory(dict)  # each verdict once, as text

    def add(self, result: Result) -> None:
        """Add the results of a match."""
        if result.places is None:
            self.void.append(result.outcome.detail)
            return
        self.tally.add(result)
        for name, verdict in zip(result.names, result.verdicts, strict=True):
            if verdict is None:
                continue
            said = f"; it said {verdict.line[:60]!r}" if verdict.line else ""
            key = name, verdict.kind, verdict.detail, said
            self.failures.setdefault(key, f"{name}: {verdict.kind}: {verdict.describe()}{said}")

    def show(self) -> None:
        """Print the table, best player first."""
        from rich.console import Console

        console = Console(highlight=False)
        if found := self.tally.standings():
            console.print(found)
        for text in self.failures.values():
            console.print(to_printable(text), style="yellow", markup=False)
        for text, games in Counter(self.void).items():
            count = f"{games} games are void" if games > 1 else "void"
            words = f"{count}, not counted: {to_printable(text)}"
            console.print(words, style="red", markup=False)


def show_progress(results: Iterable[Result], games: int) -> Iterator[Result]:
    """Yield the results, and show a progress bar if standard error is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal or games == 1:
        yield from results
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("games", total=games)
        for result in results:
            bar.advance(task)
            yield result
