"""Playing a series in several processes, forks of this one.

A fork has the game, the bots and the observers as they are here, also those that a notebook
has defined and no other process could import. What travels back is the result of each match
without its spec: this process knows itself what was to be played.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any

from attrs import asdict, evolve, frozen
from attrs.filters import exclude

from arena.host.hosted_match import Result
from arena.host.program_pool import ProgramPool
from arena.players import SIGNAL_STATUS_BASE, SignalInterrupt, raise_on_signals
from arena.plugins import MatchSpec
from arena.rules import UserError, describe_error

FORK = get_context("fork")
Play = Callable[[int, ProgramPool], Result]  # plays the match of a number
Report = tuple[int, dict[str, Any] | str]
"""The number of a match with the fields of its result, or why it could not be played."""


@frozen
class SeriesWorker:
    """A process, and the end of the pipe by which it reports."""

    process: ForkProcess
    reports: Connection


def play_in_parallel(specs: Sequence[MatchSpec], play: Play, workers: int) -> list[Result]:
    """Play the matches of these numbers, and return their results in this order.

    One worker is this process itself. Raise UserError where one raises it, or dies.
    """
    if workers == 1:
        with ProgramPool() as programs:
            return [play(number, programs) for number in range(len(specs))]
    processes = [_start_worker(play, range(first, len(specs), workers)) for first in range(workers)]
    try:
        reports = dict(_receive_reports(processes))
    finally:
        _end_workers(processes)
    return [Result(spec, **reports[number]) for number, spec in enumerate(specs)]


def _start_worker(play: Play, numbers: Sequence[int]) -> SeriesWorker:
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_run_worker, args=(play, numbers, there), daemon=True)
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


def _run_worker(play: Play, numbers: Sequence[int], reports: Connection) -> None:
    """Play in a worker; end as soon as nobody listens any more, or a signal comes."""
    try:
        with suppress(BrokenPipeError), raise_on_signals(), ProgramPool() as programs:
            for number in numbers:
                reports.send_bytes(_play_and_report(play, number, programs))
    except SignalInterrupt as problem:
        sys.exit(SIGNAL_STATUS_BASE + problem.number)


def _play_and_report(play: Play, number: int, programs: ProgramPool) -> bytes:
    """Play a match, and return what is to be said of it."""
    try:
        result = play(number, programs)
        if result.problem:  # it may not be what can be pickled
            result = evolve(result, problem=RuntimeError(describe_error(result.problem)))
        report: Report = number, asdict(result, recurse=False, filter=exclude("spec"))
        return pickle.dumps(report)
    except Exception as problem:  # noqa: BLE001  # it is raised where somebody sees it
        report = number, str(problem) if isinstance(problem, UserError) else describe_error(problem)
        return pickle.dumps(report)


def _receive_reports(workers: Sequence[SeriesWorker]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the workers' reports as they arrive, until all workers have ended; raise UserError."""
    open_workers = {worker.reports: worker.process for worker in workers}
    while open_workers:
        for ready in connection.wait([*open_workers]):
            assert isinstance(ready, Connection)
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
