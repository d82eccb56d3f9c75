"""A whole cluster of processes on this machine's loopback, for tests and measurements."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Self

from attrs import Factory, define, field

from arena_dask import Dask

SCHEDULER = "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"
WORKER = "-m", "distributed.cli.dask_worker"
SETTINGS = "--nthreads", "1", "--no-nanny", "--local-directory"
READY = r"Scheduler at: +(\S+)", r"(Registered to):"


@define(eq=False)
class Machine:
    """A process of the cluster, which is ready."""

    process: subprocess.Popen[str]
    said: str  # when it was ready
    _drain: Thread

    @classmethod
    def start(cls, ready: str, words: tuple[str, ...], environment: Mapping[str, str]) -> Machine:
        """Start it with these words for Python, and wait for this line."""
        command = [sys.executable, *words, "--no-dashboard"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert process.stderr
        found = (re.search(ready, line) for line in process.stderr)
        said = next((line[1] for line in found if line), "")
        drain = Thread(target=deque, args=(process.stderr, 0))
        drain.start()
        return cls(process, said, drain)

    def kill(self) -> None:
        """Have it gone at once, as if the machine had failed."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Kill it, and wait until all that it had started for itself has gone, too."""
        self.kill()
        self._drain.join()
        assert self.process.stderr
        self.process.stderr.close()


@define(eq=False)
class Machines:
    """A scheduler and its workers, as long as a `with` block lasts."""

    folder: Path  # in which workers work
    environment: Mapping[str, str] = Factory(lambda: os.environ)
    scheduler: Machine = field(init=False)
    workers: list[Machine] = field(init=False, factory=list)

    def __enter__(self) -> Self:
        """Start the scheduler."""
        self.scheduler = Machine.start(READY[0], SCHEDULER, self.environment)
        return self

    def __exit__(self, *_: object) -> None:
        """End all of them."""
        for machine in (*self.workers, self.scheduler):
            machine.end()

    @property
    def dask(self) -> Dask:
        """The executor that connects a tournament to this cluster."""
        return Dask(self.scheduler.said)

    def add(self, number: int = 1, *words: str, **environment: str) -> None:
        """Start workers, perhaps by other words for Python than the usual ones."""
        for _ in range(number):
            folder = str(self.folder / f"worker-{len(self.workers)}")
            command = *(words or WORKER), self.scheduler.said, *SETTINGS, folder
            worker = Machine.start(READY[1], command, {**self.environment, **environment})
            self.workers.append(worker)
