"""Watches rules while they run: no chance but the table's, no clock, no round without end.

It sees every call by the profiling hook of the interpreter, so that no way of importing a
function hides it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

from arena.play import Play

PATIENCE = 1_000_000  # calls without a question, after which a round is called endless

CLOCKS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
SHARED: Any = random._inst  # noqa: SLF001  # whose methods the module offers


Hook = Callable[[FrameType, str, Any], None]


def _refuse(frame: FrameType, called: Any) -> None:
    """Raise AssertionError for a call whose result the seed does not fix."""
    name = getattr(called, "__qualname__", "")
    module = getattr(called, "__module__", None)
    where = f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"
    owner = getattr(called, "__self__", None)
    assert owner is not SHARED, f"`random.{name}` of the module is called {where}; use table.random"
    assert name != "urandom", f"`os.urandom` is called {where}; use table.random"
    assert module != "time", f"a clock, `time.{name}`, is read {where}"
    assert name not in CLOCKS, f"a clock, `{name}`, is read {where}"


def _chance(frame: FrameType, event: str, called: Any) -> None:
    """See an event of the interpreter; hypothesis times the collection of garbage at any moment."""
    if event == "c_call" and not frame.f_globals.get("__name__", "").startswith("hypothesis"):
        _refuse(frame, called)


class _Patience:
    """Counts calls from one answer to the next."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        """See an event of the interpreter."""
        if event == "call":
            answered = frame.f_code is Play.answer.__code__
            self.calls = 0 if answered else self.calls + 1
            assert self.calls < PATIENCE, f"{PATIENCE} calls and no question: a round has no end"


@contextmanager
def _hooked(hook: Hook) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(before)


def without_chance() -> AbstractContextManager[None]:
    """Raise AssertionError where the rules that run here take chance or time from elsewhere."""
    return _hooked(_chance)


def with_patience() -> AbstractContextManager[None]:
    """Raise AssertionError where the rules that run here go on and on without a question."""
    return _hooked(_Patience())
