"""Limits that the kernel counts, on a machine where a control group is delegated.

CI has none; `python -m release.machine` runs these in a machine that has.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from attrs import evolve

from arena.sandbox import (
    NAMESPACES,
    Resources,
    Sandbox,
    SandboxedProcess,
    find_obstacle,
    find_shortcomings,
)
from arena.sandbox.kernel.cgroup import PROGRAM_GROUP, Cgroup, HostMemoryError
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT, release_all
from tests.sandbox.attacks.programs.attack import RESOURCES
from tests.support.programs import TIMEOUT, list_lasting

SLEEPS = "import time; time.sleep(3600)"
FILLS = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = b"x" * (60 << 20)
        time.sleep(3600)
os.wait()
time.sleep(3600)
"""
FORKS = """
import os, time
for _ in range(100):
    if os.fork() == 0:
        time.sleep(3600)
"""
BURNS = """
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        sum(range(100_000))
        os._exit(0)
"""


@pytest.fixture(autouse=True)
def _require_cgroups() -> None:
    if problem := find_obstacle(NAMESPACES) or find_shortcomings()["limits"]:
        pytest.skip(f"the kernel counts no limits of programs here: {problem}")


@contextmanager
def running(
    folder: Path, program: str, resources: Resources = RESOURCES
) -> Iterator[SandboxedProcess]:
    """Run some Python in a sandbox."""
    words = ["/usr/bin/python3", "-I", "-S", "-c", program]
    confined = SandboxedProcess(Sandbox(NAMESPACES, resources).request(words, folder, None))
    try:
        confined.wait_until_ready()
        yield confined
    finally:
        for stream in confined.streams:
            stream.close()
        confined.close()


def groups() -> list[Path]:
    """Return the groups of programs of this process's supervisor."""
    assert SUPERVISOR_CLIENT._process
    process = SUPERVISOR_CLIENT._process.pid
    own = Path(f"/proc/{process}/cgroup").read_text().partition("::")[2].strip()
    return [*Path(f"/sys/fs/cgroup{own}").parent.glob(f"{PROGRAM_GROUP}*")]


def test_a_program_has_a_group_while_it_runs(tmp_path: Path) -> None:
    """All its processes are in it, and it is removed with them."""
    with running(tmp_path, SLEEPS):
        (group,) = groups()
        assert (group / "cgroup.procs").read_text().split()
        assert (group / "pids.max").read_text().strip() == str(RESOURCES.processes + 2)
    assert groups() == []


@pytest.mark.parametrize(
    ("program", "cpu_seconds", "excess"),
    [
        (FILLS, None, "128 MB of memory"),
        (FORKS, None, "32 processes"),
        (BURNS, 1.0, "1 s of the processor"),
    ],
    ids=["memory", "processes", "processor"],
)
def test_a_program_that_passes_a_limit_is_ended(
    tmp_path: Path, program: str, cpu_seconds: float | None, excess: str
) -> None:
    """The limit is named, whichever of its processes has passed it."""
    resources = evolve(RESOURCES, cpu_seconds=cpu_seconds)
    with running(tmp_path, program, resources) as confined:
        assert select.select([confined.descriptor], [], [], TIMEOUT)[0]
        confined.note_end()
        assert confined.stop_reason == f"more than {excess}"


def test_a_group_stands_still_as_one(tmp_path: Path) -> None:
    """Whatever its processes fork; and it ends in that state, too."""
    with running(tmp_path, BURNS) as confined:
        (group,) = groups()
        for number, state in ((signal.SIGSTOP, "1"), (signal.SIGCONT, "0"), (signal.SIGSTOP, "1")):
            confined.signal(number)
            while f"frozen {state}" not in (group / "cgroup.events").read_text().splitlines():
                pass


def test_the_group_of_a_killed_keeper_is_removed(tmp_path: Path) -> None:
    """Whatever the program has started ends with its keeper."""
    with running(tmp_path, SLEEPS):
        (group,) = groups()
        processes = [int(number) for number in (group / "cgroup.procs").read_text().split()]
        keeper = int(group.name.removeprefix(PROGRAM_GROUP))
        os.kill(keeper, signal.SIGKILL)
        assert list_lasting(processes) == []
    with running(tmp_path, SLEEPS):
        assert group not in groups()


def test_programs_that_end_at_once_leave_the_supervisor_alive(tmp_path: Path) -> None:
    """Each end is noticed while the groups of others are removed."""
    supervisor = SUPERVISOR_CLIENT._process
    for _ in range(10):
        with ExitStack() as stack:
            for number in range(20):
                folder = tmp_path / str(number)
                folder.mkdir(exist_ok=True)
                stack.enter_context(running(folder, SLEEPS))
            release_all()
    assert SUPERVISOR_CLIENT._process is supervisor
    assert groups() == []


def test_a_program_is_not_blamed_when_the_host_has_no_memory(tmp_path: Path) -> None:
    """The limit of a group above, such as that of the hill's unit, is the host's affair."""
    with running(tmp_path, SLEEPS):
        (group,) = groups()
        above = group.parent / "scarce"
        above.mkdir()
        try:
            (above / "cgroup.subtree_control").write_text("+memory +pids")
            (above / "memory.max").write_text(str(RESOURCES.bounds["disk"]))
            program = Cgroup(str(above), RESOURCES.bounds, 0)
            child = os.fork()
            if child == 0:
                program.enter()
                os._exit(len(b"x" * (RESOURCES.bounds["disk"] * 2)) and 0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
            with pytest.raises(HostMemoryError):
                program.find_excess()
            assert program.remove()
        finally:
            above.rmdir()
