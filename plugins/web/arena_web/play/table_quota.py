"""How many tables may be open, in all and by people of one address, and which make room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from attrs import frozen

from arena_web.http.clients import compute_share, find_networks, iter_full_networks
from arena_web.http.refusals import BusyError
from arena_web.play.presence import Attendance

MAX_OPEN_TABLES = 100
MAX_OPEN_TABLES_PER_ADDRESS = 30  # behind which a course may sit

AUTHOR_PREFIX = "author "
"""How what stands in place of an address begins where an author of a hill has set a table up."""


class OpenTable(Protocol):
    """A table, as far as its quota depends on it."""

    address: str  #: from where it was set up; nothing where by the command line

    @property
    def attendance(self) -> Attendance:
        """Who is here."""


T = TypeVar("T", bound=OpenTable)


class NoFreeTableError(BusyError):
    """There is no room for another table."""


@frozen
class TableQuota:
    """The limits of open tables."""

    max_tables: int = MAX_OPEN_TABLES
    max_per_address: int = MAX_OPEN_TABLES_PER_ADDRESS  #: fewer where there is little room

    def list_surplus(self, tables: Iterable[T], address: str) -> list[T]:
        """Return those of the open tables that have to make room for one of an address.

        They are the oldest at which nobody is.

        Raises:
            NoFreeTableError: where people are at all of them.
        """
        open_tables, surplus = [*tables], list[T]()

        def list_open(network: str) -> list[T]:
            return [table for table in open_tables if network in find_networks(table.address)]

        def close_idle(candidates: Sequence[T], why_not: str) -> None:
            idle = next((table for table in candidates if not table.attendance.has_people), None)
            if idle is None:
                raise NoFreeTableError(why_not)
            open_tables.remove(idle)
            surplus.append(idle)

        limit = compute_share(self.max_tables - len(open_tables), self.max_per_address)
        whose = "by you" if address.startswith(AUTHOR_PREFIX) else "from your address"
        if address:
            for network in iter_full_networks(address, limit, lambda net: len(list_open(net))):
                own = list_open(network)
                close_idle(own, f"{len(own)} tables are open {whose}; close one first")
        if len(open_tables) >= self.max_tables:
            close_idle(open_tables, f"all {self.max_tables} tables are in use; try again later")
        return surplus
