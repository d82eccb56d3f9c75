"""Watches rules while they run: all chance must come from the table, and no clock may be read.

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

CLOCK_FUNCTIONS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
SHARED_RANDOM: Any = random._inst  # noqa: SLF001  # its methods are the functions of the module
SEED_CODE = random.Random.seed.__code__
CHANCE_MODULES = {"random", "secrets", "uuid"}  # modules through which chance is asked for
IGNORED_MODULE = "hypothesis"  # which times the collection of garbage, at any moment


@contextmanager
def forbid_chance() -> Iterator[None]:
    """Raise AssertionError where rules in this block take chance or time from elsewhere."""
    before = sys.getprofile()
    sys.setprofile(_check_call)
    try:
        yield
    finally:
        sys.setprofile(before)


def _check_call(frame: FrameType, event: str, called: Any) -> None:
    """Check an interpreter event, and refuse calls whose result the seed does not determine."""
    if _module_name(frame).startswith(IGNORED_MODULE):
        return
    if event == "c_call":
        name = _describe_unseeded_call(called)
        assert not name, (
            f"{name} is called {_describe_caller(frame)}; use table.random for all chance"
        )
    elif event == "call" and frame.f_code is SEED_CODE:
        seeded = frame.f_locals.get("a") is not None
        assert seeded, (
            f"`Random()` is created without a seed {_describe_caller(frame)}; use table.random"
        )


def _describe_unseeded_call(called: Any) -> str:
    """Describe the called function if it is a source of chance or a clock, else return ""."""
    name = getattr(called, "__qualname__", "")
    if getattr(called, "__self__", None) is SHARED_RANDOM:
        return f"`random.{name.partition('.')[2]}` of the module `random`"
    if name == "urandom":
        return "`os.urandom`"
    if getattr(called, "__module__", None) == "time":
        return f"a clock, `time.{name}`,"
    return f"a clock, `{name}`," if name in CLOCK_FUNCTIONS else ""


def _describe_caller(frame: FrameType) -> str:
    """Describe the author's own line, outside of the modules that chance goes through."""
    while _module_name(frame) in CHANCE_MODULES and frame.f_back:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _module_name(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name
