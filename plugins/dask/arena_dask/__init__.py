"""Matches on many machines: a Dask cluster plays them.

    executor = "dask:address=tcp://192.168.1.10:8786"

Dask's `distributed` is imported when a tournament is run with it, and not before: that is slow.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen, validators

import arena

if TYPE_CHECKING:
    from arena.tournament import Workers


@frozen
class Dask:
    """The workers of the Dask scheduler at this address."""

    address: str
    timeout: float = field(default=10.0, validator=validators.gt(0.0))
    """Seconds to find the scheduler, and as many for a first worker to be there."""
    remote = True

    def places(self) -> int:
        """Return the number of workers at present; raise UserError if there are none."""
        from arena_dask.cluster import connected

        with connected(self.address, self.timeout) as client:
            return len(client.nthreads())

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Return an executor that hands matches to them; raise UserError where there are none."""
        from arena_dask.cluster import Cluster, connected

        return Cluster(connected(self.address, self.timeout), bots, mark)


@arena.hookimpl
def arena_executors() -> Mapping[str, type[Workers]]:
    """Bring the cluster."""
    return {"dask": Dask}
