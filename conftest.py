"""For all tests: their tiers, how Hypothesis searches, and a cache and signals of their own.

There are three tiers. Tests without a marker run in this process and take next to no time; `slow`
ones start processes, servers or browsers; `release` ones are loads and products too long for every
run. A test gets its tier by what it uses (`SLOW_FIXTURES`), where it stands (`SLOW_FOLDERS`), or
by `pytestmark` in its module. `@pytest.mark.each("attack", "tier")` covers each value of the
parameters that it names, and leaves their other combinations to a release.
"""

from __future__ import annotations

import gc
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.support")  # a failed assertion in a helper shows its values

from arena.testing import Contract  # noqa: E402
from tests.support.parents import catch_ignored_signals  # noqa: E402
from tests.support.requirements import SolverModule  # noqa: E402

gc.disable()  # while thousands of tests are collected, which stay till the end
pytest_plugins = ["tests.support.summary"]
WORKER = "PYTEST_XDIST_WORKER"  # workers have what their host has
SOLVER_TESTS = ("plugins/gops-solver/tests/", "tests/repository/test_benchmarks.py")
SLOW_FIXTURES = {"attack_host", "chromium", "machines", "mark", "place", "server", "tier"}
"""Fixtures that start processes, servers or browsers, or are needed where programs are started."""
SLOW_FOLDERS = (
    "plugins/dask/tests/",
    "plugins/gops-solver/tests/",
    "plugins/hill/tests/client/",
    "plugins/hill/tests/judge/",
    "plugins/hill/tests/whole/",
    "tests/check/",
    "tests/fuzzing/",
    "tests/players/",
    "tests/repository/",
    "tests/sandbox/",
    "tests/tournament/run/",
    "tests/tournament/store/",
)
"""Folders whose tests do that everywhere."""
SLOW_IN_CONTRACTS = {
    "test_demo_and_scenarios_are_playable",
    "test_law[bots_play_without_fault]",
    "test_law[the_order_of_sets_does_not_matter]",
}
"""Tests of a contract in which a game's own bots think, or other interpreters are started."""
SLOW_MODULE = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)
GAMES_PER_LAW, QUICK_GAMES_PER_LAW = 2, 1  # at most, but in a release; in the profile `quick`
CACHE = pytest.StashKey[TemporaryDirectory[str]]()

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("arena", patient, derandomize=True, max_examples=25)  # alike in each run
settings.register_profile("quick", patient, derandomize=True, max_examples=5)
settings.register_profile("explore", patient, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "arena"))


def pytest_configure(config: pytest.Config) -> None:
    """Have folders for this run; what tests start inherits no ignored signals from nohup."""
    if WORKER in os.environ or not config.getoption("numprocesses", None):
        catch_ignored_signals()
    if WORKER not in os.environ:
        config.stash[CACHE] = TemporaryDirectory(prefix="arena-cache-")
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_STATE_HOME"] = config.stash[CACHE].name
        # what Hypothesis finds in our sources, which it would read anew in each other folder
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(config.rootpath / ".hypothesis")


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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare `./run quick` pages of the book, and folders and modules of slow tests alone."""
    if "not slow" not in config.option.markexpr:
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    if f"{path}/".startswith(SLOW_FOLDERS) or path.endswith(".md"):
        return True
    if collection_path.match("test_*.py"):
        return bool(SLOW_MODULE.search(collection_path.read_text("utf-8"))) or None
    return None


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put each test into its tier, and have contracts of games take little but in a release."""
    cases = defaultdict(list)
    is_quick = settings.get_current_profile_name() == "quick"
    most = QUICK_GAMES_PER_LAW if is_quick else GAMES_PER_LAW
    is_short = is_quick or "not release" in config.option.markexpr
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
        if is_short and (contract := find_contract(item)):
            contract.max_examples = min(contract.max_examples, most)
        each = item.get_closest_marker("each")
        if each and isinstance(item, pytest.Function):
            cases[item.nodeid.partition("[")[0], each.args].append(item)
    for (_, names), product in cases.items():
        for item in find_further_cases(product, names):
            item.add_marker(pytest.mark.release)


def pytest_collection_finish() -> None:
    """Collect garbage from now on, which spares it the collected tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:
    """Have all tests' programs find one environment: one process starts all that have the same."""
    os.environ["PYTEST_CURRENT_TEST"] = "one of many"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call() -> None:
    """Likewise in the test itself, for which pytest has set it anew."""
    pytest_fixture_setup()


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test starts more than itself, by what it uses and where it stands."""
    fixtures = getattr(item, "fixturenames", ())
    return (
        item.nodeid.startswith(SLOW_FOLDERS)
        or not SLOW_FIXTURES.isdisjoint(fixtures)
        or (item.name in SLOW_IN_CONTRACTS and find_contract(item) is not None)
    )


def find_contract(item: pytest.Item) -> type[Contract] | None:
    """Return the contract of a game that a test belongs to, if it does."""
    kind = item.cls if isinstance(item, pytest.Function) else None
    return kind if kind and issubclass(kind, Contract) else None


def find_further_cases(
    cases: Sequence[pytest.Function], names: Sequence[str]
) -> Iterable[pytest.Function]:
    """Return the cases of a product without which each value of these parameters is still tried.

    The parameter with the most values goes first: its n-th value is tried with the n-th combination
    of the others, which begin again when they are through.
    """
    columns = [number_values([case.callspec.params[name] for case in cases]) for name in names]
    sizes = [max(column) + 1 for column in columns]
    longest = sizes.index(max(sizes))
    for case, index in zip(cases, zip(*columns, strict=True), strict=True):
        turn = index[longest]
        for axis, size in enumerate(sizes):
            if axis != longest:
                turn, expected = divmod(turn, size)
                if index[axis] != expected:
                    yield case
                    break


def number_values(values: Iterable[object]) -> list[int]:
    """Return the number of each value, in the order in which they first come."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(id(value), len(numbers)) for value in values]
