"""A cluster of local processes on the loopback interface, for tests and benchmarks.

They are forks of one process that has imported Dask, which takes as long as all that most of them
do.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import tempfile
from collections import deque
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Thread
from typing import IO, Self

from attrs import Factory, define, field

from arena_dask import Dask

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["distributed.cli.dask_scheduler", "distributed.cli.dask_worker"])
SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
SCHEDULER_SETTINGS = "--host", "127.0.0.1", "--port", "0"
WORKER = "from distributed.cli.dask_worker import main; main()"
SETTINGS = "--nthreads", "1", "--no-nanny", "--local-directory"
READY = r"Scheduler at: +(\S+)", r"(Registered to):"


def run_program(
    code: str, words: tuple[str, ...], environment: Mapping[str, str], stderr: Connection
) -> None:
    """Run Python's code in a fork, as a new process with these arguments and variables would."""
    os.dup2(stderr.fileno(), sys.stderr.fileno())
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # which is looked up once
    import dask.config

    dask.config.refresh()  # from the variables
    sys.argv = ["dask", *words]
    exec(code, {})  # noqa: S102


@define(eq=False)
class ClusterProcess:
    """A running process of the cluster."""

    process: ForkServerProcess
    said: str  # its line when it was ready
    _stderr: IO[str]
    _drain: Thread

    @classmethod
    def start(
        cls, ready: str, code: str, words: tuple[str, ...], environment: Mapping[str, str]
    ) -> ClusterProcess:
        """Run code with these arguments, and wait for a line that matches `ready`."""
        here, there = FORKS.Pipe(duplex=False)
        settings = code, (*words, "--no-dashboard"), dict(environment), there
        process = FORKS.Process(target=run_program, args=settings)
        process.start()
        there.close()
        with here:
            stderr = open(os.dup(here.fileno()))  # noqa: PTH123, SIM115
        found = (re.search(ready, line) for line in stderr)
        said = next((line[1] for line in found if line), "")
        drain = Thread(target=deque, args=(stderr, 0))
        drain.start()
        return cls(process, said, stderr, drain)

    def kill(self) -> None:
        """Kill the process at once, as if its machine had failed."""
        self.process.kill()
        self.process.join()

    def end(self) -> None:
        """Kill the process, and wait until its child processes have ended, too."""
        self.kill()
        self._drain.join()
        self._stderr.close()


@define(eq=False)
class LocalCluster:
    """A scheduler and its workers, for the duration of a `with` block."""

    folder: Path  # the workers' folder
    environment: Mapping[str, str] = Factory(lambda: os.environ)
    scheduler: ClusterProcess = field(init=False)
    workers: list[ClusterProcess] = field(init=False, factory=list)

    def __enter__(self) -> Self:
        """Start the scheduler."""
        self.scheduler = ClusterProcess.start(
            READY[0], SCHEDULER, SCHEDULER_SETTINGS, self.environment
        )
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes of the cluster."""
        for machine in (*self.workers, self.scheduler):
            machine.end()

    @property
    def dask(self) -> Dask:
        """The executor that connects a tournament to this cluster."""
        return Dask(self.scheduler.said)

    def add(self, number: int = 1, code: str = WORKER, **environment: str) -> None:
        """Start workers, as this code of Python starts one."""
        for _ in range(number):
            folder = str(self.folder / f"worker-{len(self.workers)}")
            words = self.scheduler.said, *SETTINGS, folder
            variables = {**self.environment, **environment}
            self.workers.append(ClusterProcess.start(READY[1], code, words, variables))
