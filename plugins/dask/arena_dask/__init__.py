"""An executor that plays matches on the workers of a Dask cluster.

    executor = "dask:address=tcp://192.168.1.10:8786"

Importing Dask's `distributed` is slow, so it is imported only when a tournament uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen, validators

import arena

if TYPE_CHECKING:
    from arena.tournament import ExecutorProvider


@frozen
class Dask:
    """The workers of the Dask scheduler at this address."""

    address: str
    timeout: float = field(default=10.0, validator=validators.gt(0.0))
    """Seconds to wait for the scheduler, and again for the first worker."""
    remote = True

    def places(self) -> int:
        """Return the number of workers at present; raise UserError if there are none."""
        from arena_dask.dask_executor import connect

        with connect(self.address, self.timeout) as client:
            return len(client.nthreads())

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Return an executor that plays on the workers; raise UserError if there are none."""
        from arena_dask.dask_executor import DaskExecutor, connect

        return DaskExecutor(connect(self.address, self.timeout), bots, mark)


@arena.hookimpl
def arena_executors() -> Mapping[str, type[ExecutorProvider]]:
    """Register the executor `dask`."""
    return {"dask": Dask}
