"""Playing a series in several processes, forks of this one.

A fork has the game, the bots and the observers as they are here, also those that a notebook
has defined and no other process could import. What travels back is the result of each match
without its spec: this process knows itself what was to be played.
"""

from __future__ import annotations

import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, frozen
from attrs.filters import exclude

from arena.host.entrants import Entrant
from arena.host.hosted_match import Result
from arena.host.program_pool import ProgramPool
from arena.host.series import Series
from arena.players import SIGNAL_STATUS_BASE, SignalInterrupt, raise_on_signals
from arena.plugins import MatchSpec
from arena.rules import UserError, describe_error

if TYPE_CHECKING:  # slow to import, and for several workers alone
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

Seated = tuple[Entrant, ...]
Play = Callable[[int, MatchSpec, Seated, ProgramPool], Result]
"""Plays a match, given its number in the series, its spec and its entrants in seat order."""

Report = tuple[int, dict[str, Any] | str]
"""The number of a match with the fields of its result, or why it could not be played."""


@frozen
class SeriesWorker:
    """A process, and the end of the pipe by which it reports."""

    process: ForkProcess
    reports: Connection


@contextmanager
def play_matches(
    series: Series, games: int, play: Play, workers: int
) -> Iterator[Iterator[Result]]:
    """Yield the results of a series in the order of its matches, as they are played.

    One worker is this process itself. Several take turns at the matches, and end with the block.
    The results raise UserError where a match does, or where a worker dies.
    """
    if workers == 1:
        with ProgramPool() as programs:
            matches = enumerate(series.iter_matches(games))
            yield (play(number, *match, programs) for number, match in matches)
        return
    started: list[SeriesWorker] = []
    try:
        count = min(workers, games)
        started.extend(_start_worker(series, games, play, first, count) for first in range(count))
        yield _order_results(series, games, _receive_reports(started))
    finally:
        _end_workers(started)


def _start_worker(series: Series, games: int, play: Play, first: int, workers: int) -> SeriesWorker:
    from multiprocessing import get_context

    fork = get_context("fork")
    here, there = fork.Pipe(duplex=False)
    matches = islice(enumerate(series.iter_matches(games)), first, None, workers)
    process = fork.Process(target=_run_worker, args=(play, matches, there), daemon=True)
    with warnings.catch_warnings():  # threads of this process, such as a notebook's, do not go on
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return SeriesWorker(process, here)


def _end_workers(workers: Sequence[SeriesWorker]) -> None:
    """End all workers at once, and wait: each ends its programs before it goes."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join()
        worker.reports.close()


def _run_worker(
    play: Play, matches: Iterator[tuple[int, tuple[MatchSpec, Seated]]], reports: Connection
) -> None:
    """Play in a worker; end as soon as nobody listens any more, or at SIGTERM.

    A terminal sends Ctrl-C to all processes of a command; the first one then ends the workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError), raise_on_signals(), ProgramPool() as programs:
            for number, (spec, seated) in matches:
                reports.send_bytes(_play_and_report(play, number, spec, seated, programs))
    except SignalInterrupt as problem:
        sys.exit(SIGNAL_STATUS_BASE + problem.number)


def _play_and_report(
    play: Play, number: int, spec: MatchSpec, seated: Seated, programs: ProgramPool
) -> bytes:
    """Play a match, and return what is to be said of it."""
    try:
        result = play(number, spec, seated, programs)
        if result.problem:  # it may not be what can be pickled
            result = evolve(result, problem=RuntimeError(describe_error(result.problem)))
        report: Report = number, asdict(result, recurse=False, filter=exclude("spec"))
        return pickle.dumps(report)
    except Exception as problem:  # noqa: BLE001  # it is raised where somebody sees it
        report = number, str(problem) if isinstance(problem, UserError) else describe_error(problem)
        return pickle.dumps(report)


def _order_results(
    series: Series, games: int, reports: Iterator[tuple[int, dict[str, Any]]]
) -> Iterator[Result]:
    """Yield the results in the order of their matches; reports that come early wait."""
    early: dict[int, dict[str, Any]] = {}
    for number, (spec, _) in enumerate(series.iter_matches(games)):
        while number not in early:
            early.update([next(reports)])
        yield Result(spec, **early.pop(number))


def _receive_reports(workers: Sequence[SeriesWorker]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the workers' reports as they arrive, until all workers have ended; raise UserError."""
    from multiprocessing import connection

    open_workers = {worker.reports: worker.process for worker in workers}
    while open_workers:
        for ready in connection.wait([*open_workers]):
            assert isinstance(ready, connection.Connection)
            try:
                report: Report = pickle.loads(ready.recv_bytes())  # noqa: S301  # of our own fork
            except EOFError:
                _check_exit(open_workers.pop(ready))
            else:
                number, fields = report
                if isinstance(fields, str):
                    raise UserError(fields)
                yield number, fields


def _check_exit(process: ForkProcess) -> None:
    """Raise UserError where a worker did not end by itself."""
    process.join()
    if process.exitcode:
        how = f"signal {-process.exitcode}" if process.exitcode < 0 else f"{process.exitcode}"
        raise UserError(f"a worker died in the middle of a match: exit status {how}")
