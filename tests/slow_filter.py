"""The pytest plugin of `./run quick`, which skips slow tests.

A test is slow if it starts a process (a program, a worker, a database server, a browser) or uses
more than `PROCESSOR_SECONDS` (it solves a large game, or checks a contract). It is stopped as soon
as it turns out to be slow. If `SLOW_CASES` cases of a parametrized test are slow and none was
fast, its other cases are taken to be slow, too. pytest's cache keeps the list of slow tests, and
the next run does not start them while their file is unchanged. Contracts and properties are checked
with few examples. The summary says how many tests were skipped, and why.
"""

from __future__ import annotations

import ast
import logging
import os
import signal
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import util
from types import FrameType
from typing import Any

import pytest
from _pytest.outcomes import Skipped  # pytest.skip.Exception, as a type
from attrs import define, field

PROCESSOR_SECONDS = 0.05  # that a test may use
CLEANUP_SECONDS = 0.5  # of processor time that a stopped test may use to clean up
SLOW_CASES = 2  # of a parametrized test, before the others are not tried
MAX_EXAMPLES = 2  # games with which each law of a contract is checked
PROCESS_EVENTS = (
    "subprocess.Popen",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.exec",
    "os.system",
)
PROCESSES = "start processes"
TOO_SLOW = f"need more than {PROCESSOR_SECONDS} s of the processor"
LEFT_OUT = "left out"
SLOW = "slow"  # the attribute of reports of slow tests, and the key of what a worker has found
CACHE_KEY = "quick/slow"  # in pytest's cache: node id -> [reason, time of change of its file]
CONTEXT_METHODS = ("__enter__", "__exit__")
UNINTERRUPTIBLE = ("<frozen importlib", ast.__file__, logging.__file__)  # files of code
STOP_WARNINGS = (  # that Python and pytest give when a test is stopped halfway
    ResourceWarning,
    pytest.PytestUnraisableExceptionWarning,
    pytest.PytestUnhandledThreadExceptionWarning,
)


class Slow(Skipped):
    """Stops a slow test; not an `Exception`, which the tested code might catch."""


@define(eq=False, repr=False)  # pytest keeps plugins in sets; a signal handler may not call repr
class SlowFilter:
    """Stops slow tests in one process, and lists them for the next run."""

    known: dict[str, list[Any]]
    reason: str = ""  # why the current test is slow
    running: bool = False
    found: dict[str, list[Any]] = field(factory=dict)
    cases: dict[str, Counter[str]] = field(factory=lambda: defaultdict(Counter))
    """By the name of a parametrized test: its cases that were fast (reason `""`) or slow."""

    def stop_test(self, reason: str) -> None:
        """Stop the current test."""
        self.reason = reason
        raise Slow(reason)

    def on_audit_event(self, event: str, _: tuple[Any, ...]) -> None:
        """Stop a test that starts a process. This is an audit hook."""
        if self.running and event in PROCESS_EVENTS:
            self.stop_test(PROCESSES)

    def on_timer(self, _: int, frame: FrameType | None) -> None:
        """Stop a test that has used its time, or its time to clean up. This is a signal handler."""
        if self.running and can_be_stopped(frame):
            signal.setitimer(signal.ITIMER_PROF, CLEANUP_SECONDS)
            self.stop_test(TOO_SLOW)

    @pytest.hookimpl(trylast=True)  # when the tests have been selected
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect tests that are known to be slow, and limit the examples of contracts.

        It is too late in the hooks for a single test: an exception there would keep pytest from
        tearing down the module before.
        """
        for item in items:
            reason, changed = self.known.get(item.nodeid, ("", 0))
            if changed == get_change_time(item):
                self.found[item.nodeid] = [reason, changed]
        items[:] = [item for item in items if item.nodeid not in self.found]
        for kind in {getattr(item, "cls", None) for item in items}:
            if kind and hasattr(kind, "cpu_limit_seconds"):
                kind.max_examples = min(kind.max_examples, MAX_EXAMPLES)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Forget the reason of the test before."""
        self.reason = ""
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Stop a slow fixture, and skip a case if the cases before were slow."""
        reasons = self.cases[get_test_name(item)]
        if reasons.total() >= SLOW_CASES and "" not in reasons:
            self.stop_test(reasons.most_common(1)[0][0])
        with stop_when_slow(self):
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Stop a slow test."""
        with stop_when_slow(self):
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report a slow test as skipped, even if it has failed since it was stopped."""
        report = yield
        slow = find_slow(call.excinfo.value if call.excinfo else None)
        if slow:  # perhaps raised by a fixture that other tests share
            self.reason = str(slow)
        if self.reason and report.when == "teardown":  # a half-made fixture may fail here
            report.outcome, report.longrepr = "passed", None
        elif self.reason:
            report.outcome, report.longrepr = "skipped", ("", 0, self.reason)
            report.__dict__[SLOW] = True
            self.found[item.nodeid] = [self.reason, get_change_time(item)]
        if report.when == "call" or report.outcome == "skipped":
            self.cases[get_test_name(item)][self.reason] += 1
        return report

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over the slow tests of a worker."""
        self.found |= getattr(node, "workeroutput", {}).get(SLOW, {})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Store the slow tests for the next run; a worker sends them to the main process.

        It is no error if no other tests were selected.
        """
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[SLOW] = self.found
        elif cache := get_cache(session.config):
            cache.set(CACHE_KEY, self.known | self.found)
        if self.found and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(tryfirst=True)  # before pytest looks for unclosed resources a last time
    def pytest_unconfigure(self) -> None:
        """Ignore resources that stopped tests have not closed."""
        for warning in STOP_WARNINGS:
            warnings.simplefilter("ignore", warning)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how many tests were skipped, and why."""
        reasons = Counter(reason for reason, _ in self.found.values()).most_common()
        parts = ", ".join(f"they {reason} ({count})" for reason, count in reasons)
        if parts:
            terminalreporter.line(f"{len(self.found)} tests are left to ./run test: {parts}")


@contextmanager
def stop_when_slow(slow_filter: SlowFilter) -> Iterator[None]:
    """Stop the code of a block as soon as it is slow."""
    slow_filter.running = True
    signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS, PROCESSOR_SECONDS)
    try:
        yield
    finally:
        slow_filter.running = False
        signal.setitimer(signal.ITIMER_PROF, 0)


def find_slow(problem: BaseException | None) -> Slow | None:
    """Return the `Slow` that was raised, also if the end of a `with` then raised another error."""
    while problem:
        if isinstance(problem, Slow):
            return problem
        problem = problem.__cause__ or problem.__context__
    return None


def can_be_stopped(frame: FrameType | None) -> bool:
    """Return whether a test can be stopped at this frame.

    It cannot be stopped during an import, at the beginning or end of a `with` or in a call of
    `logging` (a lock would stay taken, for which other threads wait for ever), while Python parses
    a text (which would become a SystemError), and in pytest itself.
    """
    if frame and frame.f_globals.get("__name__", "").startswith(("_pytest.", "pluggy.")):
        return False
    while frame:
        code = frame.f_code
        if code.co_name in CONTEXT_METHODS or code.co_filename.startswith(UNINTERRUPTIBLE):
            return False
        frame = frame.f_back
    return True


def get_cache(config: pytest.Config) -> pytest.Cache | None:
    """Return pytest's cache, unless it is switched off."""
    cache: pytest.Cache | None = getattr(config, "cache", None)
    return cache


def get_test_name(item: pytest.Item) -> str:
    """Return the name that all cases of a parametrized test share."""
    return item.nodeid.partition("[")[0]


def get_change_time(item: pytest.Item) -> int:
    """Return the time of change of a test's file, in nanoseconds."""
    return item.path.stat().st_mtime_ns


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count slow tests separately from other skipped tests."""
    return (LEFT_OUT, "", "") if hasattr(report, SLOW) else None


def install_handlers(slow_filter: SlowFilter) -> None:
    """Report the timer and every start of a process to the filter, also those not audited."""
    signal.signal(signal.SIGPROF, slow_filter.on_timer)
    sys.addaudithook(slow_filter.on_audit_event)
    spawn = util.spawnv_passfds

    def spawn_audited(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        slow_filter.on_audit_event("os.posix_spawn", ())
        return spawn(path, args, passfds)

    util.spawnv_passfds = spawn_audited


def pytest_configure(config: pytest.Config) -> None:
    """Install the filter in this process."""
    os.environ.setdefault("HYPOTHESIS_PROFILE", "quick")
    for warning in STOP_WARNINGS:
        line = f"ignore::{warning.__module__}.{warning.__name__}"
        config.addinivalue_line("filterwarnings", line)
    cache = get_cache(config)
    slow_filter = SlowFilter(cache.get(CACHE_KEY, {}) if cache else {})
    install_handlers(slow_filter)
    config.pluginmanager.register(slow_filter, "quick")
