"""Programs beside Python that tests use: where one is missing, they are skipped.

The reason names the Debian package, and the last line of a run counts the tests by package.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from importlib.util import find_spec

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES, find_obstacle

PACKAGES = {
    "bwrap": "bubblewrap",
    "c++": "g++",
    "cc": "gcc libc6-dev",
    "initdb": "postgresql",
    "javac": "default-jdk-headless",
    "newuidmap": "uidmap",
    "node": "nodejs",
    "python3": "python3-minimal",
    "tsc": "node-typescript",
}
"""The Debian package of a program, where that is called otherwise."""

NOT_PACKAGED = {"dotnet": "the .NET SDK", "go": "Go", "rustc": "Rust"}
"""Languages that `./run test` does not install."""

PACKAGE_INDEX = "a network connection, or a package index for pip"
BUILD_TOOL = "scikit-build-core"
"""A package from the index that is needed to build wheels."""

SANDBOX = "a sandbox that holds (see arena doctor)"


def explain_missing(program: str) -> str:
    """Say that a program is missing, and how to install it."""
    if program in NOT_PACKAGED:
        return f"{program} is not on this machine: install {NOT_PACKAGED[program]}"
    return f"{program} is not on this machine: apt install {PACKAGES.get(program, program)}"


def require(*programs: str) -> None:
    """Skip the test that runs, or the module, unless these programs are on the PATH."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(explain_missing(program), allow_module_level=True)


def require_solver() -> None:
    """Skip the test that runs, or the module, unless the GOPS solver was built."""
    if find_spec("arena_gops_solver") is None:
        reason = f"the GOPS solver was not built: apt install {PACKAGES['c++']}"
        pytest.skip(reason, allow_module_level=True)


def require_sandbox() -> None:
    """Skip the test that runs where no sandbox holds; in CI one has to, or nothing of it is tried."""
    problems = [
        f"{tier}: {find_obstacle(tier)}" for tier in (NAMESPACES, LANDLOCK) if find_obstacle(tier)
    ]
    if len(problems) < len((NAMESPACES, LANDLOCK)):
        return
    reason = f"{'; '.join(problems)}: install {SANDBOX}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def require_tier(tier: str) -> None:
    """Skip the test that runs where a tier of sandboxes does not hold."""
    if problem := find_obstacle(tier):
        pytest.skip(f"sandbox {tier} does not work on this machine: {problem}")


def require_package_index() -> None:
    """Skip the test that runs where pip reaches no package index; in CI fail, for it has to."""
    problem = probe_package_index()
    if problem and os.environ.get("CI"):
        pytest.fail(problem)
    if problem:
        pytest.skip(f"pip reaches no package index: install {PACKAGE_INDEX}")


def probe_package_index() -> str:
    """Return what pip says where it reaches no package index, or an empty string."""
    probe = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps"]
    done = subprocess.run(
        [*probe, "--quiet", "--retries", "0", BUILD_TOOL],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


class SolverModule(pytest.Module):
    """A module of tests that imports the GOPS solver, and is skipped where that was not built."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return its tests."""
        require_solver()
        return super().collect()


def count_missing(reasons: Iterable[str]) -> dict[str, int]:
    """Return how many of these reasons to skip a test name each package, or other software."""
    return dict(Counter(filter(None, map(_find_missing, reasons))).most_common())


def _find_missing(reason: str) -> str | None:
    """Return the software that a reason to skip a test names, None if it names none."""
    if re.search(r"sandbox \w+ does not work", reason):
        return SANDBOX
    match = re.match(r".*(?:has no (cgroup v2)|: (?:apt )?install (.+))$", reason)
    return match[1] or match[2] if match else None
