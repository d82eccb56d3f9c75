"""Limits that the kernel enforces: a control group for each program (cgroup v2).

Everything counts there that a program has the kernel keep: memory, page tables, buffers of
sockets, watches, the processor time of children that nobody waits for. Whoever starts programs
needs a part of the tree of groups that is delegated to it: a systemd unit with `Delegate=yes`.
A run in a terminal gets one as a scope of the user's own systemd.

A group that has processes may not pass controllers on. So the processes of the delegated group
move to one below it first, `arena-host`, where they compete with the programs as one of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress

from arena.sandbox.messages import ResourceBounds

CGROUP_ROOT = "/sys/fs/cgroup"
CONTROLLERS = ("cpu", "memory", "pids")
HOST_GROUP, PROGRAM_GROUP = "arena-host", "arena-program-"
OWN_GROUP = "--own-group"  # what a supervisor is told that was started in a scope of its own
DELEGATE_ATTRIBUTE = (
    "user.delegate"  # the attribute by which systemd marks a group that is delegated
)
USER_SYSTEMD = "user@"  # begins the name of a group that is delegated to a user's own systemd
MAX_TRIES = 10  # at moving processes, of which some start others
MICROSECONDS = 1_000_000
SYSTEMD_RUN = ("systemd-run", "--quiet", "--scope", "--collect", "--property=Delegate=yes")


class NotDelegatedError(Exception):
    """No control group is delegated to this process; the message says why."""


def find_own_group() -> str:
    """Return the folder of this process's group; raise NotDelegatedError."""
    with open("/proc/self/cgroup") as file:
        for line in file:
            if line.startswith("0::"):
                path = CGROUP_ROOT + line[3:].rstrip("\n").rstrip("/")
                if os.path.exists(f"{path}/cgroup.controllers"):
                    return path
    raise NotDelegatedError("this machine has no cgroup v2")


def find_delegated_group(*, own: bool = False) -> str:
    """Return the folder of the group that is delegated to this process.

    Args:
        own: whether it is known to be this process's own.

    Raises:
        NotDelegatedError: there is none.
    """
    path = here = find_own_group()
    if own and _is_writable(here):
        return here
    while len(path) > len(CGROUP_ROOT) and not os.path.basename(path).startswith(USER_SYSTEMD):
        with suppress(OSError):
            if os.getxattr(path, DELEGATE_ATTRIBUTE) == b"1" and _is_writable(path):
                return path
        path = os.path.dirname(path)
    if not os.path.exists("/run/systemd/system") and _is_writable(here):
        return here.removesuffix(f"/{HOST_GROUP}")
    raise NotDelegatedError(
        "no control group is delegated to arena: run it in a systemd unit with Delegate=yes"
    )


def prepare_group(*, own: bool = False) -> str:
    """Return the folder in which the groups of programs can be created.

    Args:
        own: whether this process's own group is known to be delegated to it.

    Raises:
        NotDelegatedError: none is delegated, or without a controller that is needed.
    """
    path = find_delegated_group(own=own)
    with open(f"{path}/cgroup.controllers") as file:
        missing = {*CONTROLLERS} - {*file.read().split()}
    if missing:
        raise NotDelegatedError(
            f"the control group of arena lacks the controllers {', '.join(sorted(missing))}"
        )
    try:
        _delegate_controllers(path)
    except OSError as problem:
        raise NotDelegatedError(f"the control group of arena cannot be used: {problem}") from None
    return path


def _delegate_controllers(path: str) -> None:
    """Enable the controllers of a group for the groups below it; raise OSError."""
    wanted = " ".join(f"+{controller}" for controller in CONTROLLERS)
    with suppress(FileExistsError):
        os.mkdir(f"{path}/{HOST_GROUP}")
    for tried in range(MAX_TRIES):
        _move_processes(path)
        try:
            _write(f"{path}/cgroup.subtree_control", wanted)
        except OSError:
            if tried == MAX_TRIES - 1:
                raise
        else:
            return


def _move_processes(path: str) -> None:
    with open(f"{path}/cgroup.procs") as file:
        processes = file.read().split()
    for process in processes:
        with suppress(ProcessLookupError):
            _write(f"{path}/{HOST_GROUP}/cgroup.procs", process)


def find_scope_command() -> Sequence[str]:
    """Return the prefix of a command that runs it in a delegated group of its own.

    It is empty where this process has such a group already, or nobody would make one.
    """
    with suppress(NotDelegatedError):
        find_delegated_group()
        return ()
    root = os.getuid() == 0
    runtime = "/run" if root else os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    if not os.path.exists(f"{runtime}/systemd/private") or not shutil.which(SYSTEMD_RUN[0]):
        return ()
    return SYSTEMD_RUN if root else (*SYSTEMD_RUN, "--user")


class HostMemoryError(OSError):
    """The kernel ended a program that kept its limits, because the host had no memory left."""


class Cgroup:
    """The control group of one program; raises OSError if it cannot be created.

    Args:
        base: the folder in which it is made.
        bounds: what its processes may use together. What they write lies in memory, too.
        overhead: processes of the sandbox itself in the group.
    """

    def __init__(self, base: str, bounds: ResourceBounds, overhead: int) -> None:
        self._path = f"{base}/{PROGRAM_GROUP}{os.getpid()}"
        self._bounds = bounds
        os.mkdir(self._path)
        memory = bounds["memory"]
        if memory is not None:
            _write(f"{self._path}/memory.max", str(memory + bounds["disk"]))
            _write(f"{self._path}/memory.oom.group", "1")
            with suppress(FileNotFoundError):  # the machine has no swap
                _write(f"{self._path}/memory.swap.max", "0")
        _write(f"{self._path}/pids.max", str(bounds["processes"] + overhead))
        self._entrance = os.open(f"{self._path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def enter(self) -> None:
        """Move this process into the group, with everything that it will start."""
        os.write(self._entrance, b"0")

    @property
    def cpu_seconds(self) -> float:
        """The CPU seconds of all its processes, including those that have ended."""
        return self._read("cpu.stat", "usage_usec") / MICROSECONDS

    def find_excess(self) -> str:
        """Return the limit that was reached, in words, or ""; raise HostMemoryError."""
        bounds = self._bounds
        if self._read("memory.events", "oom_kill"):
            if bounds["memory"] is None or not self._read("memory.events", "oom"):
                raise HostMemoryError("the host, or the unit of arena, has no memory left")
            return f"more than {bounds['memory'] >> 20} MB of memory"
        if self._read("pids.events", "max"):
            return f"more than {bounds['processes']} processes"
        if bounds["cpu"] is not None and self.cpu_seconds > bounds["cpu"]:
            return f"more than {bounds['cpu']:g} s of the processor"
        return ""

    def freeze(self, *, frozen: bool) -> None:
        """Freeze all its processes and whatever they fork, or thaw them; raise OSError."""
        _write(f"{self._path}/cgroup.freeze", str(int(frozen)))

    def kill(self) -> None:
        """End all its processes at once; raise OSError."""
        _write(f"{self._path}/cgroup.kill", "1")

    def remove(self) -> bool:
        """Remove the group, after all its processes have ended; return whether it is gone."""
        os.close(self._entrance)
        try:
            os.rmdir(self._path)
        except OSError:  # whoever is to tidy up finds it
            return False
        return True

    def _read(self, name: str, key: str) -> int:
        with open(f"{self._path}/{name}") as file:
            for line in file:
                found, _, value = line.partition(" ")
                if found == key:
                    return int(value)
        return 0


def discard_group(base: str, keeper: int) -> bool:
    """End the remaining processes in the group of a dead keeper, and remove the group.

    Returns whether it is gone; it is not yet while processes in it are ending.
    """
    path = f"{base}/{PROGRAM_GROUP}{keeper}"
    try:
        _write(f"{path}/cgroup.kill", "1")
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def remove_stale_groups(base: str) -> None:
    """Remove the groups of programs whose keepers were killed before they could."""
    for name in os.listdir(base):
        number = name.removeprefix(PROGRAM_GROUP)
        if number != name and not _is_alive(int(number)):
            discard_group(base, int(number))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _is_writable(path: str) -> bool:
    names = ("", "/cgroup.procs", "/cgroup.subtree_control")
    return all(os.access(f"{path}{name}", os.W_OK) for name in names)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
