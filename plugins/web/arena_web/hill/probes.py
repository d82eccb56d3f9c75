"""Probes: looks at what a hill cannot do without, none of which is waited for too long.

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

from arena.rules import UserError
from arena.tournament import Address, Store
from arena_web.hill.disk import disks_of, find_problem
from arena_web.hill.office import Office

DEADLINE_SECONDS = 8.0  # shorter than any wait for a database
HANGS = f"no answer within {DEADLINE_SECONDS:.0f} s"


@frozen
class Problem:
    """Something that a hill cannot do without, and does not have."""

    hill: str
    part: str  #: `disk`, `register` or `tournament`
    cause: str


@define(eq=False)
class Probe:
    """A look at something; `look` returns what is wrong with it, in words, or nothing."""

    hill: str
    part: str
    look: Callable[[], str]
    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))
    _looking: asyncio.Task[str] | None = field(init=False, default=None)

    async def find_problem(self) -> Problem | None:
        """Return the problem that a look finds; None where all is well."""
        if self._looking is None or self._looking.done():
            work = to_thread.run_sync(self.look, limiter=self._limiter)
            self._looking = asyncio.ensure_future(work)
        try:
            cause = await asyncio.wait_for(asyncio.shield(self._looking), DEADLINE_SECONDS)
        except TimeoutError:
            cause = HANGS
        return Problem(self.hill, self.part, cause) if cause else None


def probes_of(office: Office) -> Iterator[Probe]:
    """Return the probes of a hill: of its disks, and of both databases."""
    spec = office.spec
    yield Probe(office.name, "disk", partial(_look_at_disks, office))
    yield Probe(office.name, "register", partial(_said_by, office.register.check_writable))
    check = partial(_check_tournament, spec.database)
    yield Probe(office.name, "tournament", partial(_said_by, check))


def _look_at_disks(office: Office) -> str:
    return "; ".join(filter(None, map(_look_at_disk, disks_of(office.spec))))


def _look_at_disk(place: Path) -> str:
    cause = find_problem(place)
    return f"{place}: {cause}" if cause else ""


def _check_tournament(database: str) -> None:
    """Raise StorageError unless a tournament's database takes writers, once it is there."""
    if Store.exists(database):
        Address.of(database).check_writable()


def _said_by(check: Callable[[], None]) -> str:
    """Return the error that a check raises, in words; "" where all is well."""
    try:
        check()
    except (UserError, OSError) as problem:
        return str(problem)
    return ""
