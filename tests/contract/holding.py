"""Holding broken games to the contract, and what comes of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena import Game
from arena.testing import Contract

GOLDEN = Path(__file__).parent / "golden"
PATIENCE = 20.0  # seconds of processor time, that nothing takes but what never ends


class TooLong(BaseException):
    """A test has not come to an end; no `except Exception` takes it."""


@contextmanager
def ended(seconds: float = PATIENCE) -> Iterator[None]:
    """Raise TooLong where what runs here takes more processor time."""

    def stop(*_: object) -> None:
        raise TooLong(f"after {seconds} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def contract(game: Game, **more: Any) -> Contract:
    """Give the contract of a game, as an author writes it down."""
    settings = {"game": game, "golden": GOLDEN, "patience": 2.0}
    made: Contract = type("TestIt", (Contract,), settings | more)()
    return made


def refuses(game: Game, test: str, words: str, **more: Any) -> None:
    """See that this test of the contract fails for a game, and says so in these words.

    `words` are a regular expression that may span lines; the notes of the exception count.
    """
    with ended(), pytest.raises(BaseException, match=f"(?s){words}"):
        getattr(contract(game, **more), test)()


def came_of(made: Contract, test: str) -> str:
    """Say what a test raises, or nothing."""
    try:
        with ended():
            getattr(made, test)()
    except BaseException as problem:  # noqa: BLE001  # that of an endless game is no Exception
        return repr(problem)
    return ""


TESTS = [name for name in dir(Contract) if name.startswith("test_")]
