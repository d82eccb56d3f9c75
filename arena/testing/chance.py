"""Watches rules while they run: all chance comes from the table, and there are no clocks.

It sees every call by the profiling hook of the interpreter, so that no way of importing a
function hides it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

CLOCKS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
SHARED: Any = random._inst  # noqa: SLF001  # whose methods the module offers
SEEDING = random.Random.seed.__code__
BETWEEN = {"random", "secrets", "uuid"}  # modules through which chance is asked for
ALOOF = "hypothesis"  # which times the collection of garbage, at any moment


@contextmanager
def without_chance() -> Iterator[None]:
    """Raise AssertionError where the rules that run here take chance or time from elsewhere."""
    before = sys.getprofile()
    sys.setprofile(_see)
    try:
        yield
    finally:
        sys.setprofile(before)


def _see(frame: FrameType, event: str, called: Any) -> None:
    """See an event of the interpreter, and refuse calls whose result the seed does not fix."""
    if _module(frame).startswith(ALOOF):
        return
    if event == "c_call":
        name = _unfixed(called)
        assert not name, f"{name} is called {_where(frame)}; all chance comes from table.random"
    elif event == "call" and frame.f_code is SEEDING:
        seeded = frame.f_locals.get("a") is not None
        assert seeded, f"`Random()` without a seed is made {_where(frame)}; use table.random"


def _unfixed(called: Any) -> str:
    """Name what was called, if it is chance or a clock."""
    name = getattr(called, "__qualname__", "")
    if getattr(called, "__self__", None) is SHARED:
        return f"`random.{name.partition('.')[2]}` of the module"
    if name == "urandom":
        return "`os.urandom`"
    if getattr(called, "__module__", None) == "time":
        return f"a clock, `time.{name}`,"
    return f"a clock, `{name}`," if name in CLOCKS else ""


def _where(frame: FrameType) -> str:
    """Say where the author's own line is, outside of the modules that chance goes through."""
    while _module(frame) in BETWEEN and frame.f_back:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _module(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name
