"""Throttling of repeated log messages: shown once, then counted once a minute.

Otherwise whoever can make something go wrong can fill the host's disk with what is said of it.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import RLock
from time import monotonic
from traceback import extract_tb

from attrs import define, field

from arena.cli.support.commands import print_error

QUIET_SECONDS = 60.0  # in which a message is counted that was shown already
MAX_MESSAGES = 1000  # that are remembered
LOGGERS = ("uvicorn.error", "asyncio")


@define
class RepeatedMessage:
    """A message that was shown, with the number of repetitions since."""

    text: str
    time: float
    count: int = 0


@define
class LogThrottle:
    """Shows each message once and counts its repetitions; safe in any thread."""

    show: Callable[[str], None] = print_error
    now: Callable[[], float] = monotonic
    _messages: dict[Hashable, RepeatedMessage] = field(init=False, factory=dict)
    _lock: RLock = field(init=False, factory=RLock)  # which a signal's handler may take again

    def say(self, text: str) -> None:
        """Show a message, unless it was shown within the last minute."""
        if self.is_new(text, text):
            self.show(text)

    def is_new(self, key: Hashable, text: str) -> bool:
        """Whether a message should be shown; if not, count it.

        Args:
            key: what makes it the same message.
            text: what is shown of it when it has come again.
        """
        with self._lock:
            if message := self._messages.get(key):
                message.count += 1
                return False
            if len(self._messages) >= MAX_MESSAGES:
                self._messages.clear()
            self._messages[key] = RepeatedMessage(text, self.now())
            return True

    def flush(self) -> None:
        """Show the count of each repeated message after its minute; forget the others."""
        for message in self._take_quiet():
            self.show(f"{message.text} ({message.count} times more in the last minute)")

    def _take_quiet(self) -> list[RepeatedMessage]:
        """Return the repeated messages whose minute is over, and begin another one for each."""
        repeated = []
        with self._lock:
            for key, message in [*self._messages.items()]:
                if self.now() - message.time < QUIET_SECONDS:
                    continue
                del self._messages[key]
                if message.count:
                    repeated.append(message)
                    self._messages[key] = RepeatedMessage(message.text, self.now())
        return repeated

    @contextmanager
    def attach(self) -> Iterator[None]:
        """Throttle the log messages of the server's libraries, too."""
        counting = ThrottleFilter(self)
        loggers = [*map(logging.getLogger, LOGGERS)]
        for logger in loggers:
            logger.addFilter(counting)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeFilter(counting)


class ThrottleFilter(logging.Filter):
    """A log filter that passes a record once; exceptions from one place count as the same."""

    def __init__(self, throttle: LogThrottle) -> None:
        super().__init__()
        self._repeats = throttle

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is to be logged."""
        text = record.getMessage().strip().partition("\n")[0]
        exception = record.exc_info[1] if record.exc_info else None
        if isinstance(exception, CancelledError):
            return False  # the server ends, and says itself what it does not wait for
        if exception is None:
            return self._repeats.is_new((record.name, record.msg), text)
        place = [
            (frame.filename, frame.lineno) for frame in extract_tb(exception.__traceback__)[-1:]
        ]
        key = (record.name, type(exception), *place)
        return self._repeats.is_new(key, f"{text}: {type(exception).__name__}")
