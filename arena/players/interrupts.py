"""Interrupts: before the host ends, it ends its programs."""

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
SHELL_SIGNALS = (signal.SIGINT, signal.SIGHUP)  # which nohup and background jobs may ignore
RETRY_SECONDS = 0.02  # seconds until an interrupt comes again that could not be raised
DEFERRED_SIGNALS: list[list[int]] = []  # those of the main thread's open `defer_signals`
SIGNAL_STATUS_BASE = 128
"""The exit status of a process that a signal ended is this and its number, as shells have it."""


class SignalInterrupt(KeyboardInterrupt):
    """A signal that asks the host to end; not an exception of any bot."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def raise_on_signals() -> Iterator[None]:
    """Raise an exception for all interrupts in this block, so that matches end their programs.

    Where Python cannot raise, as in what it calls when an object goes, it comes once more. Where it
    raises in the middle of a wait for a lock, the lock complains about that; then the interrupt
    counts.
    """
    before, sys.unraisablehook = sys.unraisablehook, _retry_interrupt
    try:
        with handle_signals(_raise_interrupt):
            yield
    except RuntimeError as problem:
        if isinstance(problem.__context__, SignalInterrupt):
            raise problem.__context__ from None
        raise
    finally:
        sys.unraisablehook = before


def _retry_interrupt(ignored: sys.UnraisableHookArgs) -> None:
    """Send an ignored interrupt again, a little later; print any other exception."""
    if isinstance(ignored.exc_value, SignalInterrupt):
        again = threading.Timer(RETRY_SECONDS, os.kill, (os.getpid(), ignored.exc_value.number))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(ignored)


def ignore_further_interrupts() -> None:
    """Ignore further interrupts while the host ends, so that they do not change its status."""
    for number in INTERRUPT_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def reset_signals() -> None:
    """Leave Ctrl-C to the parent of this worker, and let any other signal end the worker at once.

    A fork has the handlers of its command, which would raise while it exits. A pool takes an
    exception for a result, and waits for ever for a worker that was told to end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _raise_interrupt(number: int, _: FrameType | None) -> NoReturn:
    raise SignalInterrupt(number)


@contextmanager
def call_on_first_signal(first: Callable[[], None]) -> Iterator[None]:
    """Call a function on the first interrupt in this block; the second one acts as usual."""
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
    """Defer Ctrl-C and SIGTERM until the end of this block.

    Only the main thread gets them, so elsewhere there is nothing to hold back. Neither is there
    within another such block.
    """
    if DEFERRED_SIGNALS or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    try:
        DEFERRED_SIGNALS.append(received)
        with handle_signals(lambda number, _: received.append(number)):
            yield
    finally:
        DEFERRED_SIGNALS.clear()
        if received:
            signal.raise_signal(received[0])


@contextmanager
def handle_signals(act: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Set the handlers of interrupts for a block.

    A signal that is ignored, as under nohup or in the background of a script, stays ignored.
    """
    before = {
        number: signal.signal(number, act)
        for number in INTERRUPT_SIGNALS
        if number not in SHELL_SIGNALS or signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
