"""Launchers that start the same bot again: nothing of one match reaches the next."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES, Resources, find_obstacle, runs_as_other_users
from arena.sandbox.processes.launcher_process import LauncherState
from arena.sandbox.processes.process_tree import list_children
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.support.programs import list_lasting
from tests.support.sandboxes.plain_starts import list_launchers, run_to_end, started
from tests.support.sandboxes.tiers import mainly, tier

__all__ = ["tier"]

STARTS = 3
"""The launcher of the second is the first that is used again."""

LOOKS = r"""
import json, os, resource, sys
def look(attempt, *values):
    try:
        return attempt(*values)
    except OSError as problem:
        return problem.strerror
def read(path, *names):
    with open(path) as file:
        return [line for line in file.read().splitlines() if line.startswith(names)]
def describe(folder):
    found = os.stat(folder)
    names = look(os.listdir, folder)
    return [oct(found.st_mode), found.st_uid == os.getuid(), names,
            look(os.listxattr, folder)]
def list_mounts():
    return [line.split()[4:6] for line in read("/proc/self/mountinfo", "")]
STATUS = ("Cap", "NoNewPrivs", "Seccomp", "SigBlk", "SigIgn", "SigCgt", "Groups", "Threads", "Umask", "TracerPid")
KINDS = sorted(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
FOLDERS = (".", "/tmp", "/dev/shm")
print(os.getuid())
print(json.dumps({
    "status": [line for line in read("/proc/self/status", *STATUS)],
    "folders": [look(describe, folder) for folder in FOLDERS],
    "limits": [resource.getrlimit(kind) for kind in KINDS],
    "descriptors": look(os.listdir, "/proc/self/fd"),
    "environment": sorted(os.environ),
    "leads its session": os.getsid(0) == os.getpid(),
    "priority": os.getpriority(os.PRIO_PROCESS, 0),
    "cores": sorted(os.sched_getaffinity(0)),
    "memory": look(read, "/proc/self/oom_score_adj"),
    "time of children": resource.getrusage(resource.RUSAGE_CHILDREN)[:2],
    "mounts": look(list_mounts),
}), flush=True)
for folder in FOLDERS:
    for attempt in (lambda: open(f"{folder}/letter", "w").write("to the next"),
                    lambda: os.mkdir(f"{folder}/letters"),
                    lambda: os.chmod(folder, 0o777),
                    lambda: os.utime(folder, (1, 1))):
        look(attempt)
look(os.setpriority, os.PRIO_PROCESS, 0, 5)
look(os.sched_setaffinity, 0, [min(os.sched_getaffinity(0))])
look(resource.setrlimit, resource.RLIMIT_NOFILE, (64, 64))
look(os.umask, 0)
if os.fork() == 0:
    os._exit(sum(range(100_000)) and 3)
os.wait()
sys.stdin.read()
"""
"""Says what a program can see of the place where it is, and leaves in it whatever it can."""

LEAVES_A_PROCESS = """
import os, sys, time
if os.fork() == 0:
    os.closerange(0, 64)
    time.sleep(3600)
"""
BURNS = """
import time
while time.process_time() < 0.2: pass
"""
WAITS = "import sys; sys.stdin.read()"


def look_round(tier: str) -> tuple[int, dict[str, Any], int]:
    """Start the program that looks; return its user, what it has seen, and its launcher."""
    with started(tier, LOOKS) as program:
        lines = [program.streams[1].readline() for _ in range(2)]
        assert all(lines), program.streams[2].read()
        (launcher,) = filter(list_children, list_launchers())  # it has a program
        run_to_end(program)
    return int(lines[0]), json.loads(lines[1]), launcher


def test_a_program_cannot_tell_that_its_launcher_was_used_before(tier: str) -> None:
    """Files, descriptors, limits, rights, mounts: all is as at the first start, but its user."""
    SUPERVISOR_CLIENT.end_idle()
    assert list_lasting(list_launchers()) == []
    users, seen, launchers = zip(*(look_round(tier) for _ in range(STARTS)), strict=True)
    assert {*launchers[1:]} == {launchers[1]}
    if tier == LANDLOCK:  # the launcher has given up what is needed to gain any
        rights = [line for line in seen[0]["status"] if line.startswith("Cap")]
        assert {line.split()[1] for line in rights} == {"0" * 16}
    assert all(later == seen[0] for later in seen[1:]), seen
    assert len({*users}) == (STARTS if runs_as_other_users() else 1)


def test_a_launcher_has_the_same_before_each_start(tier: str) -> None:
    """Descriptors and mounts, of which each program had some."""
    if os.getuid() != 0:
        pytest.skip("only root may look at a launcher")
    for _ in range(2):
        _, _, launcher = look_round(tier)
    before = _describe_launcher(launcher)
    assert look_round(tier)[2] == launcher
    assert _describe_launcher(launcher) == before


def _describe_launcher(launcher: int) -> list[object]:
    folder = Path(f"/proc/{launcher}")
    names = ("Uid", "Cap", "SigBlk", "SigIgn", "SigCgt", "Groups", "Threads", "Umask")
    mounts, of_host = (
        {line.split()[4] for line in Path(path).read_text().splitlines()}
        for path in (folder / "mountinfo", "/proc/self/mountinfo")
    )
    status = (folder / "status").read_text().splitlines()
    return [
        sorted(path.name for path in (folder / "fd").iterdir()),
        (folder / "limits").read_text(),
        sorted(mounts - of_host),
        [line for line in status if line.startswith(names)],
    ]


def test_a_launcher_whose_program_leaves_a_process_is_not_used_again() -> None:
    """In namespaces nothing can be left; behind Landlock it is ended, and so is the launcher."""
    if problem := find_obstacle(LANDLOCK):
        pytest.skip(problem)
    found = []
    for _ in range(STARTS):
        before = list_launchers()
        with started(LANDLOCK, LEAVES_A_PROCESS) as program:
            (launcher,) = {*list_launchers()} - {*before}
            found.append(launcher)
            run_to_end(program)
            assert program.leftover_count == 1
        assert list_lasting([launcher]) == []


@mainly(NAMESPACES)
def test_the_processor_time_of_earlier_starts_does_not_count(tier: str) -> None:
    """Each has its own limit, which all of them together would pass."""
    for _ in range(STARTS):
        with started(tier, BURNS, resources=Resources(cpu_seconds=0.5)) as program:
            run_to_end(program)
        assert (program.status, program.stop_reason) == (0, "")


@mainly(LANDLOCK)
def test_an_idle_launcher_ends_with_its_host(tier: str) -> None:
    """However that ends."""
    script = (
        "import sys\nfrom tests.support.sandboxes.plain_starts import *\n"
        "for _ in range(3):\n"
        "    with started(sys.argv[1], 'pass') as program: run_to_end(program)\n"
        "print(SUPERVISOR_CLIENT._process.pid, *list_launchers(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", script, tier]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as host:
        assert host.stdout
        processes = [int(word) for word in host.stdout.readline().split()]
        assert len(processes) == 2, processes
        host.kill()
    assert list_lasting(processes) == []


@mainly(LANDLOCK)
def test_few_launchers_wait(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was used least recently is ended for another one."""
    most = 3
    monkeypatch.setattr("arena.sandbox.supervisor_client.MAX_IDLE", most)
    SUPERVISOR_CLIENT.end_idle()
    first = 0
    for number in range(most + 1):
        for _ in range(2):
            with started(tier, WAITS, str(number)) as program:
                (launcher,) = filter(list_children, list_launchers())
                run_to_end(program)
        first = first or launcher
    assert list_lasting([first]) == []
    assert len(SUPERVISOR_CLIENT._idle._waiting) == most
    SUPERVISOR_CLIENT.end_idle()


def test_what_a_launcher_must_not_keep_is_noticed(tmp_path: Path) -> None:
    """An open file, a lower limit, a blocked signal; and a state without them is the same."""
    kind = resource.RLIMIT_CORE
    before, limits = LauncherState.read([]), resource.getrlimit(kind)
    assert LauncherState.read([]) == before
    with (tmp_path / "file").open("w"):
        assert LauncherState.read([]) != before
    resource.setrlimit(kind, (1, limits[1]))
    assert LauncherState.read([]) != before
    resource.setrlimit(kind, limits)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    assert LauncherState.read([]) != before
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
    assert LauncherState.read([]) == before
