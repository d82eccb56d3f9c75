"""What a launcher has from one program to the next: restrictions, and nothing of a program."""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Collection, Iterator
from typing import NamedTuple, Self

from arena.sandbox.files import bounded_folder
from arena.sandbox.kernel import libc, program_users
from arena.sandbox.kernel.cgroup import Cgroup
from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.kernel.seccomp import compile_filter
from arena.sandbox.messages import LANDLOCK, LaunchRequest
from arena.sandbox.processes import process_tree
from arena.sandbox.processes.fork_server_client import ForkServerClient
from arena.sandbox.processes.program_setup import ProgramLaunch

OWN_DESCRIPTORS = "/proc/self/fd"
LIMITS = sorted(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))


class LauncherProcess:
    """The process of a launcher, with the restrictions that all its programs have."""

    def __init__(self, abilities: SupervisorAbilities) -> None:
        self.abilities = abilities
        self.in_own_domain = False
        self.fork_server: ForkServerClient | None = None
        self._next_user = os.getpid()
        self._start_count = 0
        self._is_unfit = False  # for a fork server

    def separate(self) -> None:
        """Separate this process from the supervisor's; raise OSError."""
        os.setsid()
        libc.prctl(libc.SUBREAPER, 1)
        libc.prctl(libc.DUMPABLE, 0)  # nobody may read it, nor take its descriptors
        if self.abilities.mounts:
            bounded_folder.separate_mounts()

    def enter_domain(self, request: LaunchRequest) -> None:
        """Enter a domain of Landlock with nobody but what is started here; raise OSError.

        It is entered once: the kernel allows few domains, one in the other. Where there may be a
        fork server, that and programs give up capabilities themselves: to root's interpreter, which
        is started by exec, there would be none left.
        """
        if not self.in_own_domain:
            libc.prctl(libc.NO_NEW_PRIVILEGES, 1)
            libc.signal_only_own()
            if cannot_gain_capabilities(request):
                libc.bound_capabilities()
            self.in_own_domain = True

    def start(
        self,
        request: LaunchRequest,
        streams: tuple[int, int, int],
        user: int | None,
        group: Cgroup | None,
    ) -> tuple[int, int, ForkServerClient | None]:
        """Start a program, and tell whether a fork server has forked it.

        Args:
            request: what the host asks for.
            streams: the descriptors of its input, its output and its errors.
            user: its own; None: it is the host's.
            group: its control group, if it has one.

        Returns:
            Its number, the pipe that reports its sandbox as ready, and the fork server.

        Raises:
            OSError: it could not be started.
            LookupError: there is no filter of system calls for this machine.
        """
        self._start_count += 1
        plain_count = request["warm_after"]
        launch = self._build_launch(request, streams, user, group)
        if plain_count is not None and self._start_count > plain_count and not self._is_unfit:
            try:
                server = self._find_fork_server(request["words"][0])
                return (*server.fork(launch), server)
            except OSError:
                self._is_unfit = True
                self._end_fork_server()
                process_tree.kill(os.getpid())  # it may have forked the program
        return (*launch.start(), None)

    def _build_launch(
        self,
        request: LaunchRequest,
        streams: tuple[int, int, int],
        user: int | None,
        group: Cgroup | None,
    ) -> ProgramLaunch:
        """Build the launch of a program; raise LookupError."""
        if request["tier"] == LANDLOCK:
            call_filter = compile_filter(
                landlock=True,
                exposed=not self.abilities.mounts,
                shared_user=user is None,
                builds=request["links"],
            )
        else:
            call_filter = compile_filter()
        return ProgramLaunch(
            request,
            streams,
            user,
            group.entrance if group else None,
            call_filter,
            self.abilities.in_namespace,
            self.abilities.mounts,
            cannot_gain_capabilities(request),
        )

    def _find_fork_server(self, interpreter: str) -> ForkServerClient:
        """Return the fork server of this launcher's program; raise OSError."""
        if self.fork_server and self.fork_server.needs_replacement:
            self._end_fork_server()
        if self.fork_server is None:
            self.fork_server = ForkServerClient(interpreter)
        return self.fork_server

    def _end_fork_server(self) -> None:
        if self.fork_server:
            self.fork_server.close()
            self.fork_server = None

    def iter_program_processes(self) -> Iterator[tuple[int, int]]:
        """Yield all processes of the program, each with its depth below this process."""
        own = self.fork_server.process if self.fork_server else None
        for process, depth in process_tree.iter_descendants(os.getpid()):
            if process != own:
                yield process, depth

    def has_program_processes(self) -> bool:
        """Return whether there is any process of a program, ended or not.

        A child that has ended stays until this process has collected it. So even of a program that
        moves on by forking and ending there is always one to be seen.
        """
        if self.fork_server:
            return any(self.iter_program_processes())
        return has_children()

    def read_state(self, ignored: Collection[int]) -> LauncherState:
        """Read what must be the same before each start, without some descriptors."""
        own = self.fork_server.descriptors if self.fork_server else ()
        return LauncherState.read([*ignored, *own])

    def take_user(self, users: program_users.UserRange) -> tuple[int, socket.socket]:
        """Take a user for a program, another one than for the last; raise OSError."""
        user, lock = program_users.take(users, self._next_user)
        self._next_user = user - users.first + 1
        return user, lock


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


def cannot_gain_capabilities(request: LaunchRequest) -> bool:
    """Return whether the launcher of a program can gain no capability."""
    return request["warm_after"] is None


def has_children() -> bool:
    """Return whether this process has any child, ended or not."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
