"""A cluster of local processes on the loopback interface, for tests and benchmarks."""

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

SCHEDULER = "-P", "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"
WORKER = "-P", "-m", "distributed.cli.dask_worker"
SETTINGS = "--nthreads", "1", "--no-nanny", "--local-directory"
READY = r"Scheduler at: +(\S+)", r"(Registered to):"


@define(eq=False)
class ClusterProcess:
    """A running process of the cluster."""

    process: subprocess.Popen[str]
    said: str  # its line when it was ready
    _drain: Thread

    @classmethod
    def start(
        cls, ready: str, words: tuple[str, ...], environment: Mapping[str, str]
    ) -> ClusterProcess:
        """Start Python with these arguments, and wait for a line that matches `ready`."""
        command = [sys.executable, *words, "--no-dashboard"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert process.stderr
        found = (re.search(ready, line) for line in process.stderr)
        said = next((line[1] for line in found if line), "")
        drain = Thread(target=deque, args=(process.stderr, 0))
        drain.start()
        return cls(process, said, drain)

    def kill(self) -> None:
        """Kill the process at once, as if its machine had failed."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Kill the process, and wait until its child processes have ended, too."""
        self.kill()
        self._drain.join()
        assert self.process.stderr
        self.process.stderr.close()


@define(eq=False)
class LocalCluster:
    """A scheduler and its workers, for the duration of a `with` block."""

    folder: Path  # the workers' folder
    environment: Mapping[str, str] = Factory(lambda: os.environ)
    scheduler: ClusterProcess = field(init=False)
    workers: list[ClusterProcess] = field(init=False, factory=list)

    def __enter__(self) -> Self:
        """Start the scheduler."""
        self.scheduler = ClusterProcess.start(READY[0], SCHEDULER, self.environment)
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes of the cluster."""
        for machine in (*self.workers, self.scheduler):
            machine.end()

    @property
    def dask(self) -> Dask:
        """The executor that connects a tournament to this cluster."""
        return Dask(self.scheduler.said)

    def add(self, number: int = 1, *words: str, **environment: str) -> None:
        """Start workers, with other arguments for Python if `words` are given."""
        for _ in range(number):
            folder = str(self.folder / f"worker-{len(self.workers)}")
            command = *(words or WORKER), self.scheduler.said, *SETTINGS, folder
            worker = ClusterProcess.start(READY[1], command, {**self.environment, **environment})
            self.workers.append(worker)
