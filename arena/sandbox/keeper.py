"""A keeper: the process that starts one program contained, watches it, and ends all of it.

The host holds the other end of its socket. When that closes, whatever became of the host,
everything is ended. It measures by looking: between two looks a program may take more than
it is allowed, as far as limits of single processes let it.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import select
import signal
import socket
from contextlib import suppress
from itertools import islice
from typing import NoReturn

from arena.sandbox import bubblewrap, kernel, tree
from arena.sandbox.excess import excess
from arena.sandbox.request import LANDLOCK, NAMESPACES, Report, Request
from arena.sandbox.seccomp import PRIVATE, compiled

LOOK = 0.25  # seconds between two looks
LOOKS_FOR_DISK = 4  # looks between two at its folder, which may hold much
FIRST_USER = 200_000  # behind all that people and services have: each of root's programs gets one
SPARE = 4096  # processes of a user who has others, too; the looks see to the real limit
DESCRIPTORS = 512
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
OF_PROC = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
           "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/ostype")  # fmt: skip
BY_SHELL = 128  # and a signal's number: how bubblewrap says that a signal ended the program
CANNOT_START = 127
FIRST_TO_GO = "1000"  # where the machine has no memory left


def keep(request: Request, streams: tuple[int, int, int], control: socket.socket) -> NoReturn:
    """Be the keeper of a program: a fork of the supervisor that never returns."""
    keeper = Keeper(request, streams, control)
    try:
        keeper.run()
    except (BrokenPipeError, ConnectionResetError):  # the host is gone, or has looked away
        pass
    except OSError as problem:
        with suppress(OSError):
            control.send(json.dumps({"broken": f"the sandbox: {problem}"}).encode())
    finally:
        keeper.strike()
        tree.kill(os.getpid())
        if os.getuid() == 0:
            _hand_over(request["folder"], os.getuid())
        os._exit(0)


class Keeper:
    """One program, kept."""

    def __init__(
        self, request: Request, streams: tuple[int, int, int], control: socket.socket
    ) -> None:
        self._request, self._streams, self._control = request, streams, control
        self._user = FIRST_USER + os.getpid() if os.getuid() == 0 else None
        self._stopped = ""
        self._looks = 0
        self._program = 0
        self._ended = False
        self._alone = False

    def run(self) -> None:
        """Start the program, and watch until the host lets go."""
        os.setsid()
        kernel.prctl(kernel.SUBREAPER, 1)
        kernel.prctl(kernel.DUMPABLE, 0)  # nobody may read it, nor take its descriptors
        if self._request["tier"] == LANDLOCK:
            kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
            kernel.signal_only_own()
            self._alone = True
        if self._user is not None:
            _hand_over(self._request["folder"], self._user)
        up = self._start()
        for stream in self._streams:
            os.close(stream)
        if problem := self._stands(up):
            self._say({"broken": problem})
            return
        self._say({"up": True})
        self._watch()

    def _start(self) -> int:
        """Fork the program; return the pipe by which the sandbox says that it stands."""
        up, says = os.pipe()
        self._program = os.fork()
        if self._program:
            os.close(says)
            return up
        try:
            _become(self._request, self._streams, says, self._user)
        except BaseException as problem:  # noqa: BLE001  # it must not go on as a keeper
            _say_why(str(problem).encode())
        os._exit(CANNOT_START)

    def _stands(self, up: int) -> str:
        """Wait until the sandbox stands; say why it does not."""
        said = b""
        while chunk := os.read(up, 512):
            said += chunk
            if said.startswith(b"up"):
                break
        os.close(up)
        return "" if said.startswith(b"up") else (said.decode(errors="replace") or "did not start")

    def _watch(self) -> None:
        """Look at what the program uses, until the host lets go; tell when it has ended."""
        ended, poll = os.pidfd_open(self._program), select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        while True:
            stirring = [descriptor for descriptor, _ in poll.poll(LOOK * 1000)]
            if self._control.fileno() in stirring and not self._obey():
                return
            if ended in stirring:
                poll.unregister(ended)
                self._tell_the_end()
            elif not self._stopped:
                self._look()
            if self._ended:
                tree.reap()

    def _obey(self) -> bool:
        """Do what the host asks: send a signal; return whether it holds on."""
        asked = self._control.recv(16)
        if asked:
            tree.send(int(asked), self._own())
        return bool(asked)

    def _own(self) -> list[int]:
        """Return the program's own processes, without those of bubblewrap."""
        least = 3 if self._request["tier"] == NAMESPACES else 1
        own = (one for one, depth in tree.descendants(os.getpid()) if depth >= least)
        return [*islice(own, self._request["bounds"]["processes"] + 1)]  # more are too many

    def _tell_the_end(self) -> None:
        _, status = os.waitpid(self._program, 0)
        self._program, self._ended = 0, True
        code = os.waitstatus_to_exitcode(status)
        if self._request["tier"] == NAMESPACES and code > BY_SHELL:
            code = BY_SHELL - code
        if self._request["tier"] == NAMESPACES:  # all in them ends with the program
            tree.kill(os.getpid())
        left = tree.alive(os.getpid())
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = usage.ru_utime + usage.ru_stime + tree.cpu_seconds(left)
        self._say({"status": code, "stopped": self._stopped, "left": len(left), "cpu": cpu})

    def _look(self) -> None:
        """End the program where it has passed a limit."""
        self._looks += 1
        files = self._looks % LOOKS_FOR_DISK == 0
        self._stopped = excess(self._request, self._own(), files=files)
        if self._stopped:
            self.strike()

    def strike(self) -> None:
        """End all in one stroke, which no number of forks gets ahead of.

        A namespace of processes ends with bubblewrap. Otherwise this process is in a domain
        of Landlock with nobody but those that it has started: to it they are all there are.
        """
        with suppress(ProcessLookupError, PermissionError):
            if self._alone and not _reaches(os.getppid()):
                os.kill(-1, signal.SIGKILL)
            elif self._program:
                os.kill(self._program, signal.SIGKILL)

    def _say(self, report: Report) -> None:
        self._control.send(json.dumps(report).encode())


def _reaches(process: int) -> bool:
    """May this process send signals to that one?"""
    try:
        os.kill(process, 0)
    except PermissionError:
        return False
    return True


def _needs_search(request: Request) -> bool:
    """Would another user not get to all that the program needs?"""
    paths = [source for source, _ in request["reads"]] + [request["folder"]]
    return not all(map(_open_to_all, paths))


def _open_to_all(path: str) -> bool:
    """May every user go through all folders above a path?"""
    above = os.path.dirname(os.path.realpath(path))
    while os.stat(above).st_mode & 1:
        if above == "/":
            return True
        above = os.path.dirname(above)
    return False


def _hand_over(folder: str, user: int) -> None:
    """Give a program's working folder to the user that it runs as, and back again."""
    os.chown(folder, user, user)
    for base, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):
                os.chown(os.path.join(base, name), user, user, follow_symlinks=False)


def _become(request: Request, streams: tuple[int, int, int], up: int, user: int | None) -> NoReturn:
    """Turn this process into the program, contained; it never comes back."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.set_inheritable(os.dup2(up, bubblewrap.UP), True)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):  # which are ignored here
        signal.signal(number, signal.SIG_DFL)
    _limit(request, user)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(FIRST_TO_GO)
    if request["tier"] == NAMESPACES:
        files = [_in_memory(compiled()), _in_memory(bubblewrap.options(request, user))]
        for number, held in enumerate(files, bubblewrap.FILTER):
            os.dup2(held, number)
        os.closerange(bubblewrap.OPTIONS + 1, 1 << 16)
        os.execvpe(bubblewrap.BWRAP, bubblewrap.command(request, user), request["environment"])
    os.closerange(bubblewrap.UP + 1, 1 << 16)
    os.chdir(request["folder"])
    _restrict(request, user)
    os.write(bubblewrap.UP, b"up")
    os.close(bubblewrap.UP)
    os.execve(request["words"][0], request["words"], request["environment"])


def _in_memory(text: bytes) -> int:
    """Return a file to be read, whose number is above those that are spoken for."""
    file = os.memfd_create("file")
    os.write(file, text)
    os.lseek(file, 0, os.SEEK_SET)
    return fcntl.fcntl(file, fcntl.F_DUPFD, bubblewrap.OPTIONS + 1)


def _say_why(problem: bytes) -> None:
    """Tell the keeper; or, once it knows that the sandbox stands, the program's own stderr."""
    try:
        os.write(bubblewrap.UP, problem)
    except OSError:
        os.write(2, problem + b"\n")


def _limit(request: Request, user: int | None) -> None:
    """Set the limits of single processes, which the kernel holds at every moment."""
    bounds = request["bounds"]
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_FSIZE, bounds["disk"]),
    ]
    if request["tier"] != NAMESPACES:  # there they are counted inside
        most = bounds["processes"] + bubblewrap.TO_BE_SEEN
        wanted.append((resource.RLIMIT_NPROC, most if user is not None else most + _running()))
    if bounds["memory"] is not None:
        wanted.append((resource.RLIMIT_DATA, bounds["memory"]))
    if bounds["cpu"] is not None:
        wanted.append((resource.RLIMIT_CPU, int(bounds["cpu"]) + 1))
    for what, most in wanted:
        _, hard = resource.getrlimit(what)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (limit, limit))


def _running() -> int:
    """Return how many threads run on this machine, and how many more others may start."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2]) + SPARE


def _restrict(request: Request, user: int | None) -> None:
    if user is None:  # all files of this user are its own
        os.umask(0o777 & ~PRIVATE)
    kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
    kernel.become(user, searching=user is not None and _needs_search(request))
    reads = [*bubblewrap.SYSTEM, *OF_PROC, *(source for source, _ in request["reads"])]
    kernel.landlock(reads, [request["folder"], *DEVICES], request["lists"])
    kernel.prctl_filter(compiled(files=True, modes=user is None))
