"""The plugin of `./run quick`: tests that are slow are left out, by what they use.

Slow is what starts a process (a program, a worker, a database server, a browser) or needs more
than `ENOUGH` of the processor (a large game that is solved, a contract). A test is left at the
moment it begins to be slow; the cache of pytest remembers that, and as long as its file stays the
same it is not even begun. Contracts and properties are tried on few examples. What was left out,
and why, is said.
"""

from __future__ import annotations

import ast
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import util
from types import FrameType
from typing import Any

import pytest
from _pytest.outcomes import Skipped  # pytest.skip.Exception, as a type
from attrs import define, field

ENOUGH = 0.05  # seconds of the processor
TIDYING_SECONDS = 0.5  # of the processor, that a test may take to tidy up when it is left
EXAMPLES = 2  # games that each law of a contract is tried on
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system")
PROCESSES = "start processes"
LONG = f"need more than {ENOUGH} s of the processor"
LEFT_OUT = "left out"
SLOW = "slow"  # what reports of tests are marked with, and the key of what a worker has found
MEMORY = "quick/slow"  # where in the cache: node id -> [why, when its file was changed]
WITH = ("__enter__", "__exit__")
AMID = (  # what Python and pytest warn of where a test was broken off in the middle
    ResourceWarning,
    pytest.PytestUnraisableExceptionWarning,
    pytest.PytestUnhandledThreadExceptionWarning,
)


class Slow(Skipped):
    """A test turns out to be slow. No `except Exception` of what is tested stops it."""


@define(eq=False, repr=False)  # plugins are kept in sets, and shown where a signal is handled
class Quick:
    """Watches the tests of one process, and remembers for the next run which are slow."""

    known: dict[str, list[Any]]
    why: str = ""  # the test that runs now is slow
    running: bool = False
    found: dict[str, list[Any]] = field(factory=dict)

    def leave(self, why: str) -> None:
        """Leave the test that runs now."""
        self.why = why
        raise Slow(why)

    def hear(self, event: str, _: tuple[Any, ...]) -> None:
        """Leave a test that starts a process: an audit hook."""
        if self.running and event in STARTS:
            self.leave(PROCESSES)

    def tick(self, _: int, frame: FrameType | None) -> None:
        """Leave a test whose time is up, and has been tidied up if it was left before.

        This is a signal handler.
        """
        if self.running and not amid(frame):
            signal.setitimer(signal.ITIMER_PROF, TIDYING_SECONDS)
            self.leave(LONG)

    @pytest.hookimpl(trylast=True)  # of those who were asked for
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out who is known to be slow, before anything is set up; have contracts try little.

        Who raises in the midst of pytest's own hooks for a test keeps it from tearing down the
        module before.
        """
        for item in items:
            why, changed = self.known.get(item.nodeid, ("", 0))
            if changed == changed_at(item):
                self.found[item.nodeid] = [why, changed]
        items[:] = [item for item in items if item.nodeid not in self.found]
        for kind in {getattr(item, "cls", None) for item in items}:
            if kind and hasattr(kind, "cpu_limit_seconds"):
                kind.max_examples = min(kind.max_examples, EXAMPLES)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Begin with a test of which nothing is known yet."""
        self.why = ""
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        """Watch the fixtures."""
        with watching(self):
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Watch the test itself."""
        with watching(self):
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Call a slow test left out, whatever has become of it since."""
        report = yield
        slow = find_slow(call.excinfo.value if call.excinfo else None)
        if slow:  # maybe that of a fixture that other tests share
            self.why = str(slow)
        if self.why and report.when == "teardown":  # what was half made may not end well
            report.outcome, report.longrepr = "passed", None
        elif self.why:
            report.outcome, report.longrepr = "skipped", ("", 0, self.why)
            report.__dict__[SLOW] = True
            self.found[item.nodeid] = [self.why, changed_at(item)]
        return report

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker has found."""
        self.found |= getattr(node, "workeroutput", {}).get(SLOW, {})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remember them for the next run, or tell who does. That none were left to run is right."""
        told: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if told is not None:
            told[SLOW] = self.found
        elif cache := cache_of(session.config):
            cache.set(MEMORY, self.known | self.found)
        if self.found and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(tryfirst=True)  # pytest looks once more for what nobody has closed
    def pytest_unconfigure(self) -> None:
        """Ignore what tests that were left have not closed."""
        for warning in AMID:
            warnings.simplefilter("ignore", warning)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many were left out, and why."""
        whys = Counter(why for why, _ in self.found.values()).most_common()
        parts = ", ".join(f"they {why} ({count})" for why, count in whys)
        if parts:
            terminalreporter.line(f"{len(self.found)} tests are left to ./run test: {parts}")


@contextmanager
def watching(quick: Quick) -> Iterator[None]:
    """Leave what runs here as soon as it is slow."""
    quick.running = True
    signal.setitimer(signal.ITIMER_PROF, ENOUGH, ENOUGH)
    try:
        yield
    finally:
        quick.running = False
        signal.setitimer(signal.ITIMER_PROF, 0)


def find_slow(problem: BaseException | None) -> Slow | None:
    """Return the `Slow` that was raised, also where leaving a `with` then raised another error."""
    while problem:
        if isinstance(problem, Slow):
            return problem
        problem = problem.__cause__ or problem.__context__
    return None


def amid(frame: FrameType | None) -> bool:
    """Say whether this is no moment to break off.

    Such are a module that is half imported, the beginning or end of a `with`, which would leave
    what it holds (a lock) as it is, a text that Python parses (it answers with a SystemError), and
    pytest at its own books.
    """
    if frame and frame.f_globals.get("__name__", "").startswith(("_pytest.", "pluggy.")):
        return True
    while frame:
        code = frame.f_code
        if code.co_name in WITH or code.co_filename.startswith(("<frozen importlib", ast.__file__)):
            return True
        frame = frame.f_back
    return False


def cache_of(config: pytest.Config) -> pytest.Cache | None:
    """Return the cache of pytest, unless it is switched off."""
    cache: pytest.Cache | None = getattr(config, "cache", None)
    return cache


def changed_at(item: pytest.Item) -> int:
    """Return when the file of this test was changed, in nanoseconds."""
    return item.path.stat().st_mtime_ns


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count what is left out by itself."""
    return (LEFT_OUT, "", "") if hasattr(report, SLOW) else None


def listen(quick: Quick) -> None:
    """Have it hear of time, and of all processes that are started, also what is not audited."""
    signal.signal(signal.SIGPROF, quick.tick)
    sys.addaudithook(quick.hear)
    spawn = util.spawnv_passfds

    def heard(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        quick.hear("os.posix_spawn", ())
        return spawn(path, args, passfds)

    util.spawnv_passfds = heard


def pytest_configure(config: pytest.Config) -> None:
    """Watch all tests of this process."""
    os.environ.setdefault("HYPOTHESIS_PROFILE", "quick")
    for warning in AMID:
        line = f"ignore::{warning.__module__}.{warning.__name__}"
        config.addinivalue_line("filterwarnings", line)
    cache = cache_of(config)
    quick = Quick(cache.get(MEMORY, {}) if cache else {})
    listen(quick)
    config.pluginmanager.register(quick, "quick")
