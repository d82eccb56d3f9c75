"""Worker threads for slow calls, such as database queries: pages do not wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from attrs import define, field

from arena_web.http.refusals import BusyError

T = TypeVar("T")

BUSY_MESSAGE = "this site is busy: try again in a second"
MAX_PARALLEL = 4  # questions that are worked on
RETRY_SECONDS = 1  # after which a refused request may come again
MAX_WAITING = 200  # questions, more than one visitor may ask at once; the next one is sent away


class NoThreadError(BusyError):
    """The system does not let this process start another thread."""


def start_thread(work: Callable[[], object], name: str) -> Thread:
    """Start a thread that ends with the process, and return it; raise NoThreadError."""
    thread = Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise NoThreadError("this machine has no thread left; try again later") from None
    return thread


@define(eq=False)
class LimitedThreads:
    """Threads for some calls at once; a limited number of others wait."""

    parallel: int  #: calls that are worked on
    max_waiting: int  #: calls in all, at work and waiting; the next one is refused
    retry_seconds: int  #: after which a refused one may come again
    message: str = ""  #: what its visitor is told, if that is not the usual sentence
    _limiter: CapacityLimiter = field(init=False)
    _waiting: int = field(init=False, default=0)

    @_limiter.default
    def _create_limiter(self) -> CapacityLimiter:
        return CapacityLimiter(self.parallel)

    async def run(self, call: Callable[[], T]) -> T:
        """Return the result of a call; raise BusyError if too many wait."""
        if self._waiting >= self.max_waiting:
            raise BusyError(self.message, retry_seconds=self.retry_seconds)
        self._waiting += 1
        try:
            return await to_thread.run_sync(call, limiter=self._limiter)
        finally:
            self._waiting -= 1


@define(eq=False)
class WorkerThreads:
    """A pool of threads for the questions of pages, and one for downloads; use it in one loop."""

    parallel: int = MAX_PARALLEL  #: questions of pages that are worked on at once
    _threads: LimitedThreads = field(init=False)
    _line: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))

    @_threads.default
    def _create_threads(self) -> LimitedThreads:
        return LimitedThreads(self.parallel, MAX_WAITING, RETRY_SECONDS, BUSY_MESSAGE)

    async def ask(self, question: Callable[[], T]) -> T:
        """Return the result of a function; raise BusyError if too many wait."""
        return await self._threads.run(question)

    async def ask_in_turn(self, question: Callable[[], T]) -> T:
        """Return the result of one of many functions, such as for a part of a download.

        Such questions have a thread of their own, and stand in line for it as long as it takes: so
        others do not wait behind them, and no file ends in the middle.
        """
        return await to_thread.run_sync(question, limiter=self._line)
