"""Setting up a program in its sandbox, in a fork of its keeper."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from contextlib import suppress
from typing import NamedTuple, NoReturn

from arena.sandbox import bubblewrap
from arena.sandbox.kernel import libc
from arena.sandbox.kernel.cgroup import Cgroup
from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.kernel.program_users import map_single_user
from arena.sandbox.kernel.seccomp import PRIVATE_MODE, compile_filter
from arena.sandbox.messages import NAMESPACES, LaunchRequest

SPARE_PROCESSES = 4096  # of a user who has others, too; the looks see to the real limit
MAX_DESCRIPTORS = 512
MAX_CORE_BYTES = 1  # core(5): not even a program of the host's gets such a dump; of 0, it would
SHARED_USER = 1000  # what the host's user is called in a sandbox of its own
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
WRITABLE = ("/proc",)  # for what it does to itself until it is the program
CANNOT_START_STATUS = 127
UMASK = 0o022
OOM_SCORE = "1000"  # where the machine has no memory left


class ProgramLaunch(NamedTuple):
    """A program to start, with everything it is started with."""

    request: LaunchRequest
    streams: tuple[int, int, int]
    user: int | None  # of its own; None: it is the host's
    group: Cgroup | None
    abilities: SupervisorAbilities

    def start(self) -> tuple[int, int]:
        """Fork the program; return its number, and the pipe that reports its sandbox as ready."""
        up, says = os.pipe()
        process = os.fork()
        if process:
            os.close(says)
            return process, up
        try:
            self._become(says)
        except BaseException as problem:  # noqa: BLE001  # it must not go on as a keeper
            _report_problem(str(problem).encode())
        os._exit(CANNOT_START_STATUS)

    @property
    def _hides_root(self) -> bool:
        """Return whether the host's user is root here, which the program should not see."""
        shares = self.user is None and self.abilities.in_namespace
        return shares and self.request["tier"] != NAMESPACES

    def _become(self, says: int) -> NoReturn:
        """Turn this process into the sandboxed program; never return."""
        libc.prctl(libc.DUMPABLE, 1)  # so that its files in /proc are its own
        if self.group:
            self.group.enter()
        os.setsid()
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
        os.set_inheritable(os.dup2(says, bubblewrap.READY_DESCRIPTOR), True)
        reset_signals()
        os.umask(UMASK)
        if self._hides_root:
            _map_ordinary_user()
        self._limit()
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write(OOM_SCORE)
        if self.request["tier"] == NAMESPACES:
            self._become_by_bubblewrap()
        os.closerange(bubblewrap.READY_DESCRIPTOR + 1, 1 << 16)
        os.chdir(self.request["folder"])
        self._restrict()
        os.write(bubblewrap.READY_DESCRIPTOR, b"up")
        os.close(bubblewrap.READY_DESCRIPTOR)
        os.execve(self.request["words"][0], self.request["words"], self.request["environment"])

    def _become_by_bubblewrap(self) -> NoReturn:
        request = self.request
        files = [
            _create_memory_file(compile_filter()),
            _create_memory_file(bubblewrap.build_options(request, self.user)),
        ]
        for number, held in enumerate(files, bubblewrap.FILTER_DESCRIPTOR):
            os.dup2(held, number)
        os.closerange(bubblewrap.OPTIONS_DESCRIPTOR + 1, 1 << 16)
        words = bubblewrap.build_command(request, self.user)
        os.execvpe(bubblewrap.BWRAP, words, request["environment"])

    def _limit(self) -> None:
        """Set the resource limits of single processes, which the kernel enforces."""
        bounds = self.request["bounds"]
        wanted = [
            (resource.RLIMIT_CORE, MAX_CORE_BYTES),
            (resource.RLIMIT_NOFILE, MAX_DESCRIPTORS),
            (resource.RLIMIT_FSIZE, bounds["disk"]),
            (resource.RLIMIT_MSGQUEUE, 0),
        ]
        if self.request["tier"] != NAMESPACES:  # there bubblewrap sets them inside
            most = bounds["processes"] + bubblewrap.EXTRA_PROCESSES
            counted_alone = self.user is not None or self._hides_root
            others = 0 if counted_alone else _count_threads() + SPARE_PROCESSES
            wanted.append((resource.RLIMIT_NPROC, most + others))
            wanted.append((resource.RLIMIT_SIGPENDING, bubblewrap.MAX_PENDING_SIGNALS))
        if bounds["memory"] is not None:
            wanted.append((resource.RLIMIT_DATA, bounds["memory"]))
        if bounds["cpu"] is not None:
            wanted.append((resource.RLIMIT_CPU, int(bounds["cpu"]) + 1))
        for kind, most in wanted:
            _, hard = resource.getrlimit(kind)
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (limit, limit))

    def _restrict(self) -> None:
        """Apply the restrictions of a sandbox without namespaces."""
        request, shares, mounts = self.request, self.user is None, self.abilities.mounts
        if mounts:
            libc.make_read_only(*WRITABLE, request["folder"])
        if shares:  # all files of this user are its own
            os.umask(0o777 & ~PRIVATE_MODE)
        libc.prctl(libc.NO_NEW_PRIVILEGES, 1)
        if self._hides_root:  # in a new user namespace there are all capabilities again
            libc.bound_capabilities()
        libc.become(self.user, searching=not shares and _needs_search(request))
        own = [source for source, _ in request["reads"]]
        reads = [*bubblewrap.SYSTEM_PATHS, *libc.READABLE, *own]
        lists = [*request["lists"], *libc.LISTABLE]
        libc.landlock(reads, [request["folder"], *DEVICES], lists)
        libc.prctl_filter(
            compile_filter(
                landlock=True, exposed=not mounts, shared_user=shares, builds=request["links"]
            )
        )


def reset_signals() -> None:
    """Block no signal, and ignore none, whatever the parent of the host or Python does."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _map_ordinary_user() -> None:
    """Map the host's user to an ordinary number, in another user namespace.

    The user's processes in it are counted alone, by limits that are set from then on.
    """
    libc.unshare(libc.NEW_USERS)
    map_single_user(os.getpid(), SHARED_USER, (0, 0))


def _needs_search(request: LaunchRequest) -> bool:
    """Return whether another user could not reach everything that the program needs."""
    paths = [source for source, _ in request["reads"]] + [request["folder"]]
    return not all(map(_is_open_to_all, paths))


def _is_open_to_all(path: str) -> bool:
    """Return whether every user may go through all folders above a path."""
    above = os.path.dirname(os.path.realpath(path))
    while os.stat(above).st_mode & 1:
        if above == "/":
            return True
        above = os.path.dirname(above)
    return False


def _create_memory_file(text: bytes) -> int:
    """Return a file in memory, whose descriptor is above the reserved ones."""
    file = os.memfd_create("file")
    os.write(file, text)
    os.lseek(file, 0, os.SEEK_SET)
    return fcntl.fcntl(file, fcntl.F_DUPFD, bubblewrap.OPTIONS_DESCRIPTOR + 1)


def _report_problem(problem: bytes) -> None:
    """Report a problem to the keeper or, once the sandbox is ready, to the program's stderr."""
    try:
        os.write(bubblewrap.READY_DESCRIPTOR, problem)
    except OSError:
        os.write(2, problem + b"\n")


def _count_threads() -> int:
    """Return the number of threads on this machine."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])
