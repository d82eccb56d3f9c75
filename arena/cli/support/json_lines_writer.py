"""Result lines: batched for a file or a pipe, so that short matches do not wait for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock, Timer
from types import TracebackType
from typing import Any, Self, TextIO

BATCH_SECONDS = 0.2  # seconds that a line waits at most
# Made once, since `json.dumps` makes one each time; results are made anew, so none is in itself.
ENCODER = json.JSONEncoder(check_circular=False)


class ResultLines:
    """Writes results as lines of JSON; a line comes at once on a terminal, or else soon.

    A timer flushes the lines, and not the next match, which may take long. Use it as a context
    manager: its end flushes what still waits.
    """

    def __init__(self, output: TextIO) -> None:
        self._output, self._is_terminal = output, output.isatty()
        self._lock = Lock()
        self._timer: Timer | None = None  # there is one while a line waits
        self._problem: OSError | None = None  # of the timer's thread

    def write(self, packed: Mapping[str, Any]) -> None:
        """Write a result, or raise OSError where this one or one before it cannot be written."""
        line = f"{ENCODER.encode(packed)}\n"
        with self._lock:
            if self._problem:
                raise self._problem
            self._output.write(line)
            if self._is_terminal:
                self._output.flush()
            elif self._timer is None:
                self._timer = Timer(BATCH_SECONDS, self._flush)
                self._timer.daemon = True
                self._timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Flush what waits, whatever has ended the matches."""
        if self._timer:
            self._timer.cancel()
        with self._lock:
            self._output.flush()

    def _flush(self) -> None:
        with self._lock:
            self._timer = None
            try:
                self._output.flush()
            except OSError as problem:
                self._problem = problem
