"""Probes of what a hill depends on, each with a timeout.

A disk on the network and a database's server may hang for ever when they are looked at. So each
look has a thread of its own, and a second one does not begin while the first one hangs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from attrs import define, field, frozen

from arena import UserError
from arena.extend import DatabaseAddress, Store
from arena_hill.disk_space import find_disks, find_problem
from arena_hill.service import HillService

DEADLINE_SECONDS = 8.0  # shorter than any wait for a database
HANG_MESSAGE = f"no answer within {DEADLINE_SECONDS:.0f} s"


@frozen
class DependencyProblem:
    """A problem with something that a hill depends on."""

    hill: str
    part: str  #: `disk`, `database` or `tournament`
    cause: str


@define(eq=False)
class DependencyProbe:
    """A check of something; `look` returns its problem as text, or ""."""

    hill: str
    part: str
    check: Callable[[], str]
    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))
    _looking: asyncio.Task[str] | None = field(init=False, default=None)

    async def find_problem(self) -> DependencyProblem | None:
        """Return the problem that the check finds, or None."""
        if self._looking is None or self._looking.done():
            work = to_thread.run_sync(self.check, limiter=self._limiter)
            self._looking = asyncio.ensure_future(work)
        try:
            cause = await asyncio.wait_for(asyncio.shield(self._looking), DEADLINE_SECONDS)
        except TimeoutError:
            cause = HANG_MESSAGE
        return DependencyProblem(self.hill, self.part, cause) if cause else None


def list_probes(service: HillService) -> Iterator[DependencyProbe]:
    """Return the probes of a hill's disks and of both databases."""
    spec = service.spec
    yield DependencyProbe(service.name, "disk", partial(_check_disks, service))
    yield DependencyProbe(
        service.name, "database", partial(_describe_error, service.database.check_writable)
    )
    check = partial(_check_tournament, spec.database)
    yield DependencyProbe(service.name, "tournament", partial(_describe_error, check))


def _check_disks(service: HillService) -> str:
    return "; ".join(filter(None, map(_check_disk, find_disks(service.spec))))


def _check_disk(place: Path) -> str:
    cause = find_problem(place)
    return f"{place}: {cause}" if cause else ""


def _check_tournament(database: str) -> None:
    """Raise StorageError if a tournament's database exists and cannot be written."""
    if Store.exists(database):
        DatabaseAddress.of(database).check_writable()


def _describe_error(check: Callable[[], None]) -> str:
    """Return the error of a check as text, or ""."""
    try:
        check()
    except (UserError, OSError) as problem:
        return str(problem)
    return ""
