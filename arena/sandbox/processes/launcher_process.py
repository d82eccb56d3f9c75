"""What a launcher has from one program to the next: restrictions, and nothing of a program."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Collection
from typing import NamedTuple, Self

from arena.sandbox import files
from arena.sandbox.kernel import libc, program_users
from arena.sandbox.kernel.features import SupervisorAbilities

OWN_DESCRIPTORS = "/proc/self/fd"
LIMITS = sorted(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))


class LauncherProcess:
    """The process of a launcher, with the restrictions that all its programs have."""

    def __init__(self, abilities: SupervisorAbilities) -> None:
        self.abilities = abilities
        self._next_user = os.getpid()

    def separate(self) -> None:
        """Separate this process from the supervisor's; raise OSError."""
        os.setsid()
        libc.prctl(libc.SUBREAPER, 1)
        libc.prctl(libc.DUMPABLE, 0)  # nobody may read it, nor take its descriptors
        if self.abilities.mounts:
            files.separate_mounts()

    def take_user(self, pool: program_users.UserPool) -> tuple[int, program_users.UserLock]:
        """Take a user for a program, another one than for the last; raise OSError."""
        user, lock = pool.take(self._next_user)
        self._next_user = user - pool.users.first + 1
        return user, lock


def enter_domain() -> None:
    """Enter a domain of Landlock with nobody but what this process starts; raise OSError."""
    libc.prctl(libc.SUBREAPER, 1)  # which a fork of a launcher is not yet
    libc.prctl(libc.NO_NEW_PRIVILEGES, 1)
    libc.signal_only_own()
    libc.bound_capabilities()


class LauncherState(NamedTuple):
    """What must be the same before each start."""

    descriptors: frozenset[str]
    limits: tuple[tuple[int, int], ...]
    priority: int
    cores: frozenset[int]
    blocked: frozenset[int]  # signals

    @classmethod
    def read(cls, ignored: Collection[int]) -> Self:
        """Read the state of this process, without some descriptors."""
        names = {*os.listdir(OWN_DESCRIPTORS)} - {*map(str, ignored)}
        return cls(  # one of the names is that of the list itself, and closed by now
            frozenset(name for name in names if os.path.lexists(f"{OWN_DESCRIPTORS}/{name}")),
            tuple(resource.getrlimit(kind) for kind in LIMITS),
            os.getpriority(os.PRIO_PROCESS, 0),
            frozenset(os.sched_getaffinity(0)),
            frozenset(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        )


def has_children() -> bool:
    """Return whether this process has any child, ended or not."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
