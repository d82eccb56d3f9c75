"""The watch over rules that do not come to an end: they are interrupted, so the match is void.

A timer ticks with the processor time of this process, so neither slow bots nor a busy machine are
taken for endless rules. If one tick finds the rules in the step in which the tick before has found
them, they are interrupted where they are. Matches pay nothing for it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from arena.rules import GameError

TICK_SECONDS = 5.0  # of processor time: rules that take more than two ticks for a step are endless
STEP = ("arena.rules.play", "Play._resume")
"""What plays a step of the rules, by its name: importing it would make commands start slowly."""


@contextmanager
def watch_rules() -> Iterator[None]:
    """Raise GameError in this block in rules that run on and on without asking anybody.

    Signals reach the main thread alone; in another one there is no watch.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    latest: FrameType | None = None

    def tick(_: int, frame: FrameType | None) -> None:
        nonlocal latest
        step = _find_step(frame)
        if step is not None and step is latest:
            raise GameError(
                f"the game has not ended after {TICK_SECONDS:g} seconds of processor time without a"
                " question; is there a loop without end, or is `over` never true?"
            )
        latest = step

    before = signal.signal(signal.SIGVTALRM, tick)
    signal.setitimer(signal.ITIMER_VIRTUAL, TICK_SECONDS, TICK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _find_step(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the step of the rules that is being played, if any is."""
    while frame and (frame.f_globals.get("__name__"), frame.f_code.co_qualname) != STEP:
        frame = frame.f_back
    return frame
