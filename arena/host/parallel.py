"""Playing a series in several processes, forks of this one.

A fork has the game, the bots and the observers as they are here, also those that a notebook
has defined and no other process could import. What travels back is the outcome of each match:
this process knows itself what was to be played.
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

from attrs import frozen

from arena.host.result import Result
from arena.players import SIGNALLED, Interrupted, ended_by_signals
from arena.plugins import MatchSpec
from arena.rules import Outcome, UserError, in_words

FORK = get_context("fork")


@frozen
class Report:
    """What a worker says of a match: how it came out, or why it could not be played."""

    number: int
    outcome: Outcome | None = None
    errors: tuple[str, ...] = ()
    recorded: str = ""
    problem: str = ""


@frozen
class Worker:
    """A process, and the end of the pipe by which it reports."""

    process: ForkProcess
    reports: Connection


def in_parallel(
    specs: Sequence[MatchSpec], play: Callable[[int], Result], workers: int
) -> list[Result]:
    """Play the matches of these numbers, and return their results in this order.

    One worker is this process itself. Raise UserError where one raises it, or dies.
    """
    if workers == 1:
        return [play(number) for number in range(len(specs))]
    some = [_started(play, range(first, len(specs), workers)) for first in range(workers)]
    try:
        found = {report.number: report for report in _reports(some)}
    finally:
        for one in some:
            one.process.terminate()  # it ends its programs first
        for one in some:
            one.process.join()
            one.reports.close()
    return [_result(specs[number], found[number]) for number in range(len(specs))]


def _started(play: Callable[[int], Result], numbers: Sequence[int]) -> Worker:
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_work, args=(play, numbers, there), daemon=True)
    with warnings.catch_warnings():  # threads of this process, such as a notebook's, do not go on
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return Worker(process, here)


def _work(play: Callable[[int], Result], numbers: Sequence[int], reports: Connection) -> None:
    """Play in a worker; end as soon as nobody listens any more, or a signal comes."""
    try:
        with suppress(BrokenPipeError), ended_by_signals():
            for number in numbers:
                reports.send_bytes(_report(play, number))
    except Interrupted as problem:
        sys.exit(SIGNALLED + problem.number)


def _report(play: Callable[[int], Result], number: int) -> bytes:
    """Play a match, and return what is to be said of it."""
    try:
        result = play(number)
        problem = in_words(result.problem) if result.problem else ""
        report = Report(number, result.outcome, result.errors, result.recorded, problem)
        return pickle.dumps(report)
    except Exception as problem:  # noqa: BLE001  # it is raised where somebody sees it
        words = str(problem) if isinstance(problem, UserError) else in_words(problem)
        return pickle.dumps(Report(number, problem=words))


def _reports(workers: Sequence[Worker]) -> Iterator[Report]:
    """Yield what the workers say, as it comes, until all have ended."""
    open_ones = {one.reports: one.process for one in workers}
    while open_ones:
        for ready in connection.wait([*open_ones]):
            assert isinstance(ready, Connection)
            try:
                report: Report = pickle.loads(ready.recv_bytes())  # noqa: S301  # of our own fork
            except EOFError:
                _see_ended(open_ones.pop(ready))
            else:
                if report.outcome is None:
                    raise UserError(report.problem)
                yield report


def _see_ended(process: ForkProcess) -> None:
    """Raise UserError where a worker did not end by itself."""
    process.join()
    if process.exitcode:
        how = f"signal {-process.exitcode}" if process.exitcode < 0 else f"{process.exitcode}"
        raise UserError(f"a worker died in the middle of a match: exit status {how}")


def _result(spec: MatchSpec, report: Report) -> Result:
    assert report.outcome
    problem = RuntimeError(report.problem) if report.problem else None
    return Result(spec, report.outcome, report.errors, problem, report.recorded)
