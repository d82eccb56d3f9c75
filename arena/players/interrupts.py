"""Interrupts: what ends the host ends its programs first, and waits while that would lose one."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN = 0.02  # seconds until an interrupt comes again that could not be raised
SIGNALLED = 128  # and the signal's number: the exit status, as shells have it


class Interrupted(KeyboardInterrupt):
    """A signal asked the host to end. No bot's mistake looks like this."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let every interrupt of this block act as Ctrl-C does: matches end their programs first.

    Where Python cannot raise, as in what it calls when an object goes, it comes once more.
    """
    before, sys.unraisablehook = sys.unraisablehook, _unraisable
    try:
        with handled(_interrupt):
            yield
    finally:
        sys.unraisablehook = before


def _unraisable(ignored: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that came to nothing, a little later; show anything else."""
    if isinstance(ignored.exc_value, Interrupted):
        again = threading.Timer(AGAIN, os.kill, (os.getpid(), ignored.exc_value.number))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(ignored)


def ignore_signals() -> None:
    """Let no more interrupts act: the host is ending, and another would only spoil its status."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    raise Interrupted(number)


@contextmanager
def on_signals(first: Callable[[], None]) -> Iterator[None]:
    """Have the first interrupt in this block do this, and the second act as ever."""
    asked = False

    def act(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            _interrupt(number, frame)
        asked = True
        first()

    with handled(act):
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the end of this block, then let them act.

    Only the main thread gets them, so elsewhere there is nothing to hold back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    try:
        with handled(lambda number, _: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


@contextmanager
def handled(act: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have interrupts do this for a while."""
    before = {number: signal.signal(number, act) for number in INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
