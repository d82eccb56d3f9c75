"""A limit on the processor time of rules that go on and on.

A loop without end is interrupted where it is, and its line is named. Neither a busy machine
nor a debugger that waits makes the time shorter: only what this process computes counts.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

HYPOTHESIS = "hypothesis"
OWN = ("arena.", HYPOTHESIS)  # modules that are not to be named: the loop is in somebody's rules
AGAIN = 0.05  # seconds of the processor between two interrupts, where the first was not the last


class CpuLimitExceeded(BaseException):
    """Rules that have no end. No `except Exception` of a host or of a game stops it."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimitExceeded in whatever still runs after these seconds of the processor.

    Signals reach the main thread alone; in another one there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def enough(_: int, frame: FrameType | None) -> None:
        if _module(frame).startswith(HYPOTHESIS):
            return  # whose callback of the garbage collector would swallow it: soon, once more
        raise CpuLimitExceeded(f"{seconds:g} seconds of the processor, and no end: {_where(frame)}")

    before = signal.signal(signal.SIGVTALRM, enough)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _where(frame: FrameType | None) -> str:
    """Say where rules were, as far out as the arena called them."""
    at = frame
    while at and _module(at).startswith(OWN):
        at = at.f_back
    at = at or frame
    return f"in {at.f_code.co_name}, {at.f_code.co_filename}:{at.f_lineno}" if at else "nowhere"


def _module(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame else ""
