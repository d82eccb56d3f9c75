"""What a keeper looks at itself where a control group counts the rest, and what it reads of a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from math import ceil
from multiprocessing import get_context
from pathlib import Path

import pytest

from arena.sandbox import LANDLOCK, Resources, Sandbox
from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.kernel.program_users import UserPool, UserRange
from arena.sandbox.processes.launcher_process import LauncherProcess
from arena.sandbox.processes.process_tree import (
    KB,
    MemoryUsage,
    Thread,
    read_memory,
    read_shared_out_bytes,
)
from arena.sandbox.processes.program_keeper import THOROUGH_POLLS, ProgramKeeper
from tests.support.programs import TIMEOUT

OWN_USERS = UserPool(UserRange(1, 100_000, 65_536), locks=-1)  # of which none is taken
RESOURCES = Resources(processes=1000, files=3)


class GroupOfNobody:
    """A control group whose limits nobody passes."""

    killed = False

    def find_excess(self) -> str:
        """Return that no limit was passed."""
        return ""

    def kill(self) -> None:
        """Take note."""
        self.killed = True


@pytest.fixture(scope="module")
def worker() -> Iterator[Executor]:
    """Return a process that has no children but its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


def look_while_asked(folder: Path) -> str:
    """Look at a program while the host asks for a stop; return the program's state in /proc.

    This process is ended if the program never stops.
    """
    signal.alarm(ceil(TIMEOUT))
    abilities = SupervisorAbilities(None, False, False, None)
    request = Sandbox(LANDLOCK, RESOURCES).request(["/bin/true"], folder, None)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there, subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as program:
        keeper = ProgramKeeper(request, (0, 1, 2), here, LauncherProcess(abilities))
        there.send(b"%d" % signal.SIGSTOP)
        for _ in range(THOROUGH_POLLS):
            keeper._enforce_limits()
        os.waitid(os.P_PID, program.pid, os.WSTOPPED)
        state = Path(f"/proc/{program.pid}/stat").read_text().split()[2]
        program.kill()
        signal.alarm(0)
        return state


def test_the_host_need_not_wait_for_a_look(worker: Executor, tmp_path: Path) -> None:
    """A look at many descriptors takes long, and a program is stopped meanwhile."""
    assert worker.submit(look_while_asked, tmp_path).result() == "T"


def watch_files(folder: Path, abilities: SupervisorAbilities) -> tuple[str, bool]:
    """Create four files and look at them; return why the program was stopped, and whether."""
    for number in range(4):
        (folder / str(number)).touch()
    request = Sandbox(LANDLOCK, RESOURCES).request(["/bin/true"], folder, None)
    here, there = socket.socketpair()
    with here, there:
        keeper = ProgramKeeper(request, (0, 1, 2), here, LauncherProcess(abilities))
        group = GroupOfNobody()
        keeper._cgroup = group  # type: ignore[assignment]
        for _ in range(THOROUGH_POLLS):
            keeper._enforce_limits()
    return keeper._stopped, group.killed


@pytest.mark.parametrize(
    ("abilities", "stopped"),
    [
        (SupervisorAbilities(None, False, False, "/"), "more than 3 files"),
        (SupervisorAbilities(OWN_USERS, False, False, "/"), "more than 3 files"),
        (SupervisorAbilities(OWN_USERS, True, True, "/"), ""),
    ],
    ids=["nothing mounted, shared user", "nothing mounted", "mounted"],
)
def test_a_control_group_does_not_count_files_on_the_hosts_disk(
    worker: Executor, tmp_path: Path, abilities: SupervisorAbilities, stopped: str
) -> None:
    """Where no file system is mounted for a program, its keeper counts what it writes."""
    watched = worker.submit(watch_files, tmp_path, abilities)
    assert watched.result() == (stopped, bool(stopped))


STATUS = (
    "Name:\tbot\nVmPin:\t0 kB\nVmRSS:\t500 kB\nRssShmem:\t200 kB\nVmPTE:\t8 kB\nVmSwap:\t70 kB\n"
)
ROLLUP = (
    "0-f ---p 0 00:00 0 [rollup]\nRss: 500 kB\nPss: 400 kB\nPss_Shmem: 100 kB\nSwapPss: 35 kB\n"
)


def test_memory_that_is_swapped_out_counts(tmp_path: Path) -> None:
    """A program may ask for that (madvise(2)), where the machine has a swap."""
    (tmp_path / "status").write_text(STATUS)
    (tmp_path / "smaps_rollup").write_text(ROLLUP)
    thread = Thread(0, str(tmp_path))
    assert read_memory(thread) == MemoryUsage(570 * KB, 200 * KB, 8 * KB)
    assert read_shared_out_bytes(thread, 0, with_shared=True) == 435 * KB
    assert read_shared_out_bytes(thread, 0, with_shared=False) == 335 * KB
