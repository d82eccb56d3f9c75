"""For all tests: their cache is not the user's, and what this machine lacks is said at the end."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.register_assert_rewrite("tests.support")  # a failed assertion in a helper shows its values

from tests.support.requirements import SolverModule, count_missing  # noqa: E402

WORKER = "PYTEST_XDIST_WORKER"  # workers have what their host has
SOLVER_TESTS = ("plugins/gops-solver/tests/", "tests/repository/test_benchmarks.py")
CACHE = pytest.StashKey[TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Have a cache for this run."""
    if WORKER not in os.environ:
        config.stash[CACHE] = TemporaryDirectory(prefix="arena-cache-")
        os.environ["XDG_CACHE_HOME"] = config.stash[CACHE].name


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it."""
    if CACHE in config.stash:
        config.stash[CACHE].cleanup()


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Collect what imports the GOPS solver where that was built."""
    if any(part in module_path.as_posix() for part in SOLVER_TESTS):
        return SolverModule.from_parent(parent, path=module_path)
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the tests that were skipped because this machine lacks what they use."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    for package, number in count_missing(reasons).items():
        terminalreporter.line(f"skipped for lack of {package}: {number}")
