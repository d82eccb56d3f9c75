"""A limit on the processor time of rules that do not end.

An endless loop is interrupted where it is, and its line is named. Neither a busy machine nor a
waiting debugger uses up the time: only the processor time of this process counts.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

HYPOTHESIS = "hypothesis"
OWN_MODULES = (
    "arena.",
    HYPOTHESIS,
)  # modules that are not named: the loop is in the game's rules
INTERRUPT_SECONDS = 0.05  # of processor time between two interrupts, if one is not enough


class CpuLimitExceededError(BaseException):
    """Raised in rules that do not end; no `except Exception` of a host or of a game stops it."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimitExceededError in this block after so many seconds of processor time.

    Signals reach the main thread alone; in another one there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_: int, frame: FrameType | None) -> None:
        if _module_name(frame).startswith(HYPOTHESIS):
            return  # whose callback of the garbage collector would swallow it: soon, once more
        raise CpuLimitExceededError(
            f"the game has not ended after {seconds:g} seconds of processor time:"
            f" {_describe_caller(frame)}"
        )

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, INTERRUPT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _describe_caller(frame: FrameType | None) -> str:
    """Describe where the rules were: the outermost frame that the arena called."""
    at = frame
    while at and _module_name(at).startswith(OWN_MODULES):
        at = at.f_back
    at = at or frame
    return f"in {at.f_code.co_name}, {at.f_code.co_filename}:{at.f_lineno}" if at else "nowhere"


def _module_name(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame else ""
