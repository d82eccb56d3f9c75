"""`./run quick` leaves out what is slow, by what it uses, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

WORKER = "PYTEST_XDIST_WORKER"  # in the environment of one

SUITE = """
import multiprocessing, os, subprocess, sys
import pytest

def test_plain():
    pass

def test_wrong():
    assert False

def test_a_program():
    try:
        subprocess.run(["true"])
    except Exception:
        pass

def test_a_fork():
    os.fork() or os._exit(0)

def test_a_worker():
    multiprocessing.get_context("spawn").Process(target=print).start()

def test_a_loop():
    while True:
        pass

@pytest.fixture(scope="module")
def server():
    subprocess.run(["true"])

def test_one_of_a_server(server):
    pass

def test_another_of_a_server(server):
    pass
"""
CONTRACT = """
from arena.testing import Contract
from arena_kuhn import GAME

class TestKuhn(Contract):
    game = GAME

    def test_few_games(self):
        assert self.max_examples == 2
"""
WORDS = (
    "-p", "tests.slow_filter", "-q", "-r", "fE", "--import-mode=importlib",
    "-p", "no:hypothesispytest",  # nothing here is tried on examples, and it is slow to import
)  # fmt: skip


SHARED = """
import subprocess
import pytest

@pytest.fixture(scope="session")
def server():
    subprocess.run(["true"])
    yield

@pytest.fixture(scope="session")
def solved():
    while True:
        pass

@pytest.fixture(scope="module")
def books():
    file = open(__file__)
    yield file
    file.close()
"""
"""What tests share, in their conftest."""
SHARING = """
import pytest

@pytest.fixture(scope="module")
def half(books, server):
    yield

def test_plain(books):
    assert not books.closed

@pytest.mark.parametrize("number", range(3))
def test_of_a_server(number, server):
    pass

def test_half(half):
    pass

def test_solved(books, solved):
    pass

class TestTogether:
    def test_plain(self, books):
        assert not books.closed

    def test_of_a_server(self, half):
        pass
"""
"""What is slow stands first, last and amid what is not: 2 tests pass, 6 are left in each file."""


LOCKING = """
import time

class Lock:
    held = False

    def __enter__(self):
        Lock.held = True

    def __exit__(self, *_):
        burn()
        Lock.held = False

def burn():
    until = time.process_time() + 0.15
    while time.process_time() < until:
        pass

def test_its_end_takes_long():
    with Lock():
        pass
    burn()

def test_its_end_takes_long_after_it_was_left():
    try:
        with Lock():
            burn()
    finally:
        burn()
        Lock.tidy = True

def test_it_is_free():
    assert not Lock.held
    assert Lock.tidy
"""
"""Needs longer to release what it holds."""


OPENING = """
import subprocess

def test_a_file_that_is_in_a_circle():
    circle = [open(__file__)]
    circle.append(circle)
    subprocess.run(["true"])
"""
"""Has not closed a file when it is left; only the garbage collector finds it."""


FAILING_EXIT = """
import subprocess
import pytest

class Connection:
    def __enter__(self):
        try:
            subprocess.run(["true"])
        except BaseException:
            raise AttributeError("no output")
    def __exit__(self, *_):
        pass

@pytest.fixture(scope="session")
def connection():
    with Connection() as connection:
        yield connection

def test_first(connection):
    pass

def test_second(connection):
    pass
"""
CASES = """
import subprocess
import pytest

@pytest.mark.parametrize("number", range(6))
def test_all_slow(number):
    open("{begun}", "a").write("x")
    subprocess.run(["true"])

@pytest.mark.parametrize("number", range(6))
def test_first_fast(number):
    open("{begun}", "a").write(str(number))
    if number:
        subprocess.run(["true"])
"""
"""Parametrized tests that write what they begin."""


PARSING = """
import ast

def test_parse():
    text = "x = [" + "[1, (2, -3)], " * 20_000 + "]"
    while True:
        ast.parse(text)
"""


LOGGING = """
import logging, threading

def test_log():
    logger = logging.getLogger("loud")
    while True:
        logger.manager._clear_cache()
        logger.debug("again")

def take(taken):
    taken.append(logging._lock.acquire(timeout=5))
    if taken[0]:
        logging._lock.release()

def test_it_is_free():
    taken = []
    other = threading.Thread(target=take, args=[taken])
    other.start()
    other.join()
    assert taken == [True]
"""
"""Is stopped while it logs, and `logging` has a lock that all threads share."""


def quick(folder: Path, root: Path, *more: str) -> str:
    """Run the tests of a folder as `./run quick` does; return what is printed."""
    own = {name: value for name, value in os.environ.items() if name != WORKER}  # it is no worker
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *WORDS, f"--rootdir={folder}", "-c", "/dev/null", *more,
         folder],
        cwd=root, env=own, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == (" failed" in done.stdout)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("more", "again"), [((), 2), (("-n", "2", "--dist", "worksteal"), 1)], ids=["alone", "workers"]
)
def test_what_is_slow_is_left_out_and_said(
    tmp_path: Path, root: Path, more: tuple[str, ...], again: int
) -> None:
    """By the first process it starts, whatever it catches, or its processor time.

    So it is each time, whoever begins to make what is shared, and whatever was left before: all
    else is as it is, and is torn down.
    """
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text(SHARED)
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text(SHARING)
    for counts in ("7 passed, 24 left out in", *["7 passed in"] * again):
        said = quick(tmp_path, root, *more)
        assert said.count("FAILED") == 1
        assert f"\n1 failed, {counts}" in said
        assert "24 tests are left to ./run test: they start processes (20)" in said
        assert "they need more than 0.05 s of the processor (4)" in said


def test_a_test_that_is_left_tidies_up(tmp_path: Path, root: Path) -> None:
    """It is neither left while it enters or leaves a `with`, nor twice."""
    (tmp_path / "test_suite.py").write_text(LOCKING)
    assert "1 passed, 2 left out" in quick(tmp_path, root)


def test_what_a_left_test_has_not_closed_is_no_failure(tmp_path: Path, root: Path) -> None:
    """Not where warnings are errors, and not at the end of the run."""
    (tmp_path / "test_suite.py").write_text(OPENING)
    assert "Exception ignored" not in quick(tmp_path, root, "-W", "error")


def test_a_contract_tries_few_games(tmp_path: Path, root: Path) -> None:
    """A contract tries as few games as the quick run sets for its class."""
    (tmp_path / "test_suite.py").write_text(CONTRACT)
    assert "1 passed" in quick(tmp_path, root, "-k", "test_few_games")


def test_what_was_slow_is_remembered_until_its_file_changes(tmp_path: Path, root: Path) -> None:
    """It is not even begun the next time, which is no failure."""
    text = "import subprocess\ndef test_a_():\n    open('{}', 'a').write('x')\n    {}\n"
    begun, file = tmp_path / "begun", tmp_path / "test_suite.py"
    file.write_text(text.format(begun, "subprocess.run(['true'])"))
    assert "1 left out" in quick(tmp_path, root)
    said = quick(tmp_path, root)
    assert "1 tests are left to ./run test" in said
    assert "no tests ran" in said
    assert begun.read_text() == "x"
    file.write_text(text.format(begun, "pass"))
    assert "1 passed" in quick(tmp_path, root)
    assert begun.read_text() == "xx"


def test_a_context_that_fails_to_end_is_slow_all_the_same(tmp_path: Path, root: Path) -> None:
    """A fixture whose `with` raises another error when it is left counts as left out, each time."""
    (tmp_path / "test_suite.py").write_text(FAILING_EXIT)
    assert "2 left out" in quick(tmp_path, root)


def test_the_lock_of_logging_stays_free(tmp_path: Path, root: Path) -> None:
    """Another thread can log after a test was stopped in the middle of a message."""
    (tmp_path / "test_suite.py").write_text(LOGGING)
    assert "1 passed, 1 left out" in quick(tmp_path, root)


def test_cases_of_a_slow_test_are_not_tried(tmp_path: Path, root: Path) -> None:
    """They are not tried after two slow cases, unless one was fast."""
    begun = tmp_path / "begun"
    (tmp_path / "test_suite.py").write_text(CASES.format(begun=begun))
    assert "1 passed, 11 left out" in quick(tmp_path, root)
    assert begun.read_text() == "xx012345"


def test_no_text_is_left_half_parsed(tmp_path: Path, root: Path) -> None:
    """Python would raise a SystemError."""
    (tmp_path / "test_suite.py").write_text(PARSING)
    assert "1 left out" in quick(tmp_path, root)


def test_the_filter_works_with_the_conftest_of_this_repository(root: Path) -> None:
    """`./run quick` loads the filter before the repository's conftest."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.slow_filter", "-q", "tests/rules/test_answer_order.py"],
        cwd=root, env={name: value for name, value in os.environ.items() if name != WORKER},
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
