"""Holding broken games to the contract, and what comes of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import Phase

from arena import Game
from arena.testing import LAWS, Contract
from arena.testing import contract as contract_module
from arena.testing.harness import hash_seeds
from arena.testing.harness.cases import CpuLimitExceededError

GOLDEN = Path(__file__).parents[1] / "golden"
TIMEOUT = 20.0  # seconds of processor time, that nothing takes but what never ends


class TooLong(BaseException):
    """A test has not come to an end; no `except Exception` takes it."""


@contextmanager
def ended(seconds: float = TIMEOUT) -> Iterator[None]:
    """Raise TooLong where what runs here takes more processor time."""

    def stop(*_: object) -> None:
        raise TooLong(f"after {seconds} seconds of processor time")

    if signal.getitimer(signal.ITIMER_PROF)[0]:  # `./run quick` keeps a shorter time
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def contract(game: Game, **more: Any) -> Contract:
    settings = {"game": game, "golden": GOLDEN, "cpu_limit_seconds": 2.0}
    made: Contract = type("TestIt", (Contract,), settings | more)()
    return made


def run(made: Contract, test: str) -> None:
    """Run the test of a law, or another one of the contract."""
    if test in LAWS:
        made.test_law(test)
    else:
        getattr(made, f"test_{test}")()


def refuses(game: Game, test: str, words: str, **more: Any) -> None:
    """See that this test of the contract fails for a game, and says so in these words.

    `words` are a regular expression that may span lines; the notes of the exception count.
    """
    found_is_enough = patch.object(contract_module, "PHASES", (Phase.generate,))  # however large
    with found_is_enough, ended(), pytest.raises(BaseException, match=f"(?s){words}"):
        run(contract(game, **more), test)


def describe_failure(made: Contract, test: str) -> str:
    try:
        with ended():
            run(made, test)
    except (Exception, CpuLimitExceededError, TooLong, pytest.skip.Exception) as problem:  # noqa: BLE001  # whatever it is
        return repr(problem)
    return ""


TESTS = [
    *LAWS,
    *(name[5:] for name in dir(Contract) if name.startswith("test_") and name != "test_law"),
]
"""What may be run: laws, and the contract's other tests without their `test_`."""


def keeps(made: Contract, without: str = "") -> None:
    """See that a game keeps its whole contract, but for one test that is left out.

    One other interpreter agrees with it as three would; it takes those to find who does not.
    """
    with patch.object(hash_seeds, "INTERPRETER_COUNT", 1):
        for test in TESTS:
            if test != without:
                try:
                    run(made, test)
                except Exception as problem:
                    problem.add_note(f"in the test {test}")
                    raise
