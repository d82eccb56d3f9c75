"""A plugin of pytest that sums up a run: how many tests, and what was left out for lack of what."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.support.requirements import count_missing

FILE = "ARENA_TEST_SUMMARY"
"""The variable with which `./run test` names a file for that."""
LEFT_TO_RELEASE = pytest.StashKey[int]()
PATH = pytest.StashKey[str | None]()


def pytest_configure(config: pytest.Config) -> None:
    """Take the name of the file, so that no test that starts pytest writes to it."""
    config.stash[LEFT_TO_RELEASE] = 0
    config.stash[PATH] = os.environ.pop(FILE, None)


def pytest_deselected(items: Iterable[pytest.Item]) -> None:
    """Count the tests that are left to a release."""
    for item in items:
        if item.get_closest_marker("release"):
            item.config.stash[LEFT_TO_RELEASE] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Say it to the process that prints the results, where this is a worker of it."""
    getattr(session.config, "workeroutput", {})["left_to_release"] = session.config.stash[
        LEFT_TO_RELEASE
    ]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take it from a worker, each of which has collected all tests."""
    left = getattr(node, "workeroutput", {}).get("left_to_release", 0)  # none where it crashed
    node.config.stash[LEFT_TO_RELEASE] = max(left, node.config.stash[LEFT_TO_RELEASE])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was left out; write it, below the counts, where `./run test` reads it."""
    stats, stash = terminalreporter.stats, terminalreporter.config.stash
    skipped = [report.longrepr for report in stats.get("skipped", [])]
    reasons = [reason[2] for reason in skipped if isinstance(reason, tuple)]
    left_out = describe_left_out(reasons, stash[LEFT_TO_RELEASE])
    for words in left_out:
        terminalreporter.line(words)
    if path := stash[PATH]:
        numbers = {name: len(stats.get(name, [])) for name in ("passed", "failed", "error")}
        counts = [f"{number:,} {name}" for name, number in numbers.items() if number]
        Path(path).write_text("; ".join([", ".join(counts) or "no tests", *left_out]))


def describe_left_out(reasons: list[str], left: int) -> list[str]:
    """Say for which reasons how many tests were skipped, and how many were left to a release."""
    words = []
    if reasons:
        missing = count_missing(reasons)
        others = {"other reasons": len(reasons) - sum(missing.values())}
        lacks = [f"{name} {number}" for name, number in (missing | others).items() if number]
        words.append(f"{len(reasons):,} skipped ({', '.join(lacks)})")
    if left:
        words.append(f"a release's {left:,} left out (--all)")
    return words
