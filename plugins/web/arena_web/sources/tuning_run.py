"""Tuning runs as sources of pages: read from their databases, without any bot's code."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from attrs import define, field

from arena.extend import (
    TuningSummary,
    find_tuning_databases,
    read_tuning_summary,
    render_report_body,
    require_modules,
)
from arena_web.http.refreshed_value import RefreshedValue
from arena_web.http.worker_threads import WorkerThreads
from arena_web.sources.tournament import choose_name

Stamp = tuple[tuple[int, int], ...]
WRITTEN_SUFFIXES = ("", "-wal")  # of the files that change when matches are stored


@define(eq=False)
class TuningRunSource:
    """A tuning run, whose page is rendered again when its database has changed."""

    name: str
    database: Path
    body: RefreshedValue[str] = field(init=False)
    _threads: WorkerThreads = field(init=False, factory=WorkerThreads)
    _last: tuple[Stamp, str] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.body = RefreshedValue(partial(self._threads.ask, self.render))

    def summarize(self) -> TuningSummary:
        """Summarize the run without the folders of its bots; raise UserError."""
        return read_tuning_summary(self.database, public=True)

    def render(self) -> str:
        """Render the body of the page, if the database has changed since the last time."""
        stamp = self._read_stamp()
        if self._last is None or self._last[0] != stamp:
            self._last = stamp, render_report_body(self.summarize())
        return self._last[1]

    def _read_stamp(self) -> Stamp:
        """Return times and sizes of the files of the database."""
        files = (Path(f"{self.database}{suffix}") for suffix in WRITTEN_SUFFIXES)
        states = (file.stat() for file in files if file.exists())
        return tuple((state.st_mtime_ns, state.st_size) for state in states)


def split_sources(arguments: Iterable[str]) -> tuple[list[Path], list[str]]:
    """Return the databases of tuning runs that the arguments name, and the other arguments."""
    databases: list[Path] = []
    others = []
    for argument in arguments:
        found = [] if "://" in argument else find_tuning_databases(Path(argument))
        databases += found
        if not found:
            others.append(argument)
    return databases, others


def open_tuning_runs(databases: Iterable[Path], taken: Iterable[str]) -> dict[str, TuningRunSource]:
    """Open runs and return them by name; raise UserError where one cannot be read."""
    sources: dict[str, TuningRunSource] = {}
    for database in databases:
        require_modules(["cmaes"], "a tuning run needs", "tune")
        name = choose_name(database.stem, {*taken, *sources})
        sources[name] = TuningRunSource(name, database)
        sources[name].summarize()  # to report a mistake at the start
    return sources
