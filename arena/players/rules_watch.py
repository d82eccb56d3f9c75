"""The watch over rules that do not come to an end: they are interrupted, so the match is void.

The thread of the host's clock looks, so rules are watched in whichever thread they are played, and
matches pay nothing for it. Between two looks the processor must have worked for a while, so neither
slow bots nor a busy machine are taken for endless rules. If a look finds the rules of a thread in
the step in which the look before has found them, they are interrupted where they are.

Python interrupts its own code alone: rules that hang within one call of a library go on.
"""

from __future__ import annotations

import sys
from time import monotonic, process_time
from types import FrameType

from arena.rules import GameError

LOOK_SECONDS = 5.0  # and as many of processor time: rules that take more than two for a step hang
STEP = ("arena.rules.play", "Play._resume")
"""What plays a step of the rules, by its name: importing it would make commands start slowly."""


class EndlessRulesError(GameError):
    """Rules run on and on without asking anybody."""

    def __init__(self) -> None:
        super().__init__(
            f"the game has not ended after {LOOK_SECONDS:g} seconds of processor time without a"
            " question; is there a loop without end, or is `over` never true?"
        )


class RulesWatch:
    """Interrupts rules that are found in the same step by two looks, one after the other."""

    def __init__(self) -> None:
        self._steps: dict[int, FrameType] = {}  # that the last look has found, by thread
        self._looked = (monotonic(), process_time())

    def look(self) -> None:
        """Look at all threads, if the last look is long enough ago."""
        now, busy = monotonic(), process_time()
        if min(now - self._looked[0], busy - self._looked[1]) < LOOK_SECONDS:
            return
        self._looked, before = (now, busy), self._steps
        self._steps = {}
        for thread, frame in sys._current_frames().items():  # noqa: SLF001  # it is documented
            if step := _find_step(frame):
                self._steps[thread] = step
                if step is before.get(thread):
                    _interrupt(thread)


def _find_step(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the step of the rules that is being played, if any is."""
    while frame and (frame.f_globals.get("__name__"), frame.f_code.co_qualname) != STEP:
        frame = frame.f_back
    return frame


def _interrupt(thread: int) -> None:
    """Make a thread raise EndlessRulesError before its next line."""
    from ctypes import c_ulong, py_object, pythonapi  # slow to import, and seldom needed

    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), py_object(EndlessRulesError))
