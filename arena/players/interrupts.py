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

INTERRUPT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RETRY_SECONDS = 0.02  # seconds until an interrupt comes again that could not be raised
SIGNAL_STATUS_BASE = 128  # and the signal's number: the exit status, as shells have it


class SignalInterrupt(KeyboardInterrupt):
    """A signal asked the host to end. No bot's mistake looks like this."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def raise_on_signals() -> Iterator[None]:
    """Let every interrupt of this block act as Ctrl-C does: matches end their programs first.

    Where Python cannot raise, as in what it calls when an object goes, it comes once more.
    """
    before, sys.unraisablehook = sys.unraisablehook, _retry_interrupt
    try:
        with handle_signals(_raise_interrupt):
            yield
    finally:
        sys.unraisablehook = before


def _retry_interrupt(ignored: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that came to nothing, a little later; show anything else."""
    if isinstance(ignored.exc_value, SignalInterrupt):
        again = threading.Timer(RETRY_SECONDS, os.kill, (os.getpid(), ignored.exc_value.number))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(ignored)


def ignore_signals() -> None:
    """Let no more interrupts act: the host is ending, and another would only spoil its status."""
    for number in INTERRUPT_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _raise_interrupt(number: int, _: FrameType | None) -> NoReturn:
    raise SignalInterrupt(number)


@contextmanager
def call_on_first_signal(first: Callable[[], None]) -> Iterator[None]:
    """Have the first interrupt in this block do this, and the second act as ever."""
    asked = False

    def act(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            _raise_interrupt(number, frame)
        asked = True
        first()

    with handle_signals(act):
        yield


@contextmanager
def defer_signals() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the end of this block, then let them act.

    Only the main thread gets them, so elsewhere there is nothing to hold back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    try:
        with handle_signals(lambda number, _: received.append(number)):
            yield
    finally:
        if received:
            signal.raise_signal(received[0])


@contextmanager
def handle_signals(act: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have interrupts do this for a while."""
    before = {number: signal.signal(number, act) for number in INTERRUPT_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
