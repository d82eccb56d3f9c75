"""What a keeper looks at itself where a control group counts the rest."""

from __future__ import annotations

import socket
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from arena.sandbox import LANDLOCK, Resources, Sandbox
from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.kernel.program_users import UserPool, UserRange
from arena.sandbox.processes.launcher_process import LauncherProcess
from arena.sandbox.processes.program_keeper import THOROUGH_POLLS, ProgramKeeper

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
    tmp_path: Path, abilities: SupervisorAbilities, stopped: str
) -> None:
    """Where no file system is mounted for a program, its keeper counts what it writes."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # it has no children but its own
        watched = pool.submit(watch_files, tmp_path, abilities)
        assert watched.result() == (stopped, bool(stopped))
