"""The keeper of a program: it starts the program in a sandbox, watches it and ends it.

It runs in a launcher, or behind Landlock in a fork of one. The host holds the other end of its
socket. When that closes, whatever became of the host, everything is ended. Where the kernel counts
what the program uses (`cgroup`, `BoundedFolder`), the keeper only reads that. What it does not
count is measured by looking: between two looks a program may take more than it is allowed, as far
as limits of single processes let it. `ProgramLaunch` sets the program up, in a fork of the keeper.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from time import monotonic
from typing import NamedTuple, NoReturn

from arena.sandbox import bubblewrap
from arena.sandbox.files import BoundedFolder, TransferLimitError, hand_over
from arena.sandbox.kernel import libc
from arena.sandbox.kernel.cgroup import Cgroup
from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.kernel.program_users import UserLock, map_single_user
from arena.sandbox.kernel.seccomp import PRIVATE_MODE, compile_filter
from arena.sandbox.messages import LANDLOCK, NAMESPACES, KeeperReport, LaunchRequest
from arena.sandbox.processes import process_tree
from arena.sandbox.processes.launcher_process import LauncherProcess, enter_domain
from arena.sandbox.processes.process_tree import UsageMonitor

SPARE_PROCESSES = 4096  # of a user who has others, too; the looks see to the real limit
MAX_DESCRIPTORS = 512
MAX_CORE_BYTES = 1  # core(5): not even a program of the host's gets such a dump; of 0, it would
SHARED_USER = 1000  # what the host's user is called in a sandbox of its own
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
ZEROS = "/dev/zero"  # who may write to it gets shared memory of any size by mapping it
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
        else:
            libc.prctl(libc.NO_HUGE_PAGES, 1)
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
            _create_memory_file(compile_filter(polled=self.group is None)),
            _create_memory_file(bubblewrap.build_options(request, self.user)),
        ]
        for number, held in enumerate(files, bubblewrap.FILTER_DESCRIPTOR):
            os.dup2(held, number)
        os.closerange(bubblewrap.OPTIONS_DESCRIPTOR + 1, 1 << 16)
        libc.make_read_only(*WRITABLE, request["folder"])  # the devices, which are the host's, too
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
        reads = [*bubblewrap.SYSTEM_PATHS, *libc.READABLE, ZEROS, *own]
        lists = [*request["lists"], *libc.LISTABLE]
        libc.landlock(reads, [request["folder"], *DEVICES], lists)
        libc.prctl_filter(
            compile_filter(
                landlock=True, exposed=not mounts, shared_user=shares, builds=request["links"],
                polled=self.group is None,
            )
        )  # fmt: skip


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


POLL_SECONDS = 0.25  # between two looks at what a program uses
THOROUGH_POLLS = 4  # looks between two at its files and sockets, of which there may be many
SANDBOX_PROCESSES = {NAMESPACES: 2, LANDLOCK: 0}  # which are no part of the program


class ProgramKeeper:
    """The keeper of one program."""

    def __init__(
        self,
        request: LaunchRequest,
        streams: tuple[int, int, int],
        control: socket.socket,
        launcher: LauncherProcess,
    ) -> None:
        self._request, self._streams, self._control = request, streams, control
        self._launcher, self._abilities = launcher, launcher.abilities
        self._user: int | None = None
        self._lock: UserLock | None = None
        self._folder: BoundedFolder | None = None
        self._cgroup: Cgroup | None = None
        self._usage = self._create_usage_monitor()
        self._stopped = ""
        self._poll_count = 0
        self._program = 0
        self._ended = False
        self._leftover_count = 0
        self._is_in_domain = False

    def keep(self) -> bool:
        """Keep the program until the host releases it; return whether it ended as it should.

        That is by itself or by a signal, and leaving nothing behind.
        """
        is_ordinary = is_clean = False
        try:
            with self._report_failure():
                is_ordinary = self._prepare_and_run()
        finally:
            is_clean = self.finish()
        return is_clean and is_ordinary

    @contextmanager
    def _report_failure(self) -> Iterator[None]:
        """Tell the host what fails in this block, unless the host is gone."""
        try:
            yield
        except (BrokenPipeError, ConnectionResetError):  # the host is gone, or has looked away
            self._stopped = "released"
        except OSError as problem:
            self._stopped = "broken"
            with suppress(OSError):
                self._report({"broken": f"the sandbox: {problem}"})

    def _create_usage_monitor(self) -> UsageMonitor:
        """Return what counts the program's use from now on, as a descendant of this process."""
        bounds = self._request["bounds"]
        if self._abilities.cgroup:  # it counts these
            bounds = {**bounds, "memory": None, "cpu": None}
        return UsageMonitor(bounds, None if self._abilities.mounts else self._request["folder"])

    def _prepare_and_run(self) -> bool:
        """Prepare the program's place, and run it; return whether it ended as it should."""
        try:
            self._prepare()
        except TransferLimitError as excess:  # it is the program's fault
            self._report_excess(str(excess))
            return False
        return self._run_in_domain() if self._request["tier"] == LANDLOCK else self._run()

    def _run_in_domain(self) -> bool:
        """Run the program in a domain of Landlock, with nobody but what is started there.

        A fork enters it, because nobody in such a domain may mount the folder of the next program.
        """
        process = os.fork()
        if process == 0:
            status = 1
            try:
                with self._report_failure():
                    enter_domain()
                    self._is_in_domain, self._usage = True, self._create_usage_monitor()
                    status = 0 if self._run() else 1
            finally:
                os._exit(status)
        self._close_streams()
        return os.waitpid(process, 0)[1] == 0

    def _run(self) -> bool:
        """Start the program, and watch it until the host releases it; then end what is left."""
        try:
            self._start_and_watch()
        finally:
            self._end_all()
        return self._ended and not self._stopped and not self._leftover_count

    def _start_and_watch(self) -> None:
        launch = ProgramLaunch(
            self._request, self._streams, self._user, self._cgroup, self._abilities
        )
        self._program, up = launch.start()
        self._close_streams()
        if problem := _wait_until_ready(up):
            self._report({"broken": problem})
            return
        self._report({"up": True})
        self._watch()

    def _close_streams(self) -> None:
        for stream in self._streams:
            os.close(stream)

    def _prepare(self) -> None:
        """Prepare the user, the folder and the control group of the program."""
        request, able = self._request, self._abilities
        if able.users:
            self._user, self._lock = self._launcher.take_user(able.users)
        if able.mounts:
            parts = request["tier"] == NAMESPACES
            self._folder = BoundedFolder(
                request["folder"], request["bounds"], self._user, parts=parts
            )
        elif self._user is not None:
            hand_over(request["folder"], self._user)
        if able.cgroup:
            overhead = SANDBOX_PROCESSES[request["tier"]]
            self._cgroup = Cgroup(able.cgroup, request["bounds"], overhead)

    def _watch(self) -> None:
        """Watch what the program uses until the host releases it; report its end."""
        ended, alarm = os.pidfd_open(self._program), process_tree.ChildAlarm()
        try:
            self._poll_until_release(ended, alarm)
        finally:
            alarm.close()
            os.close(ended)

    def _poll_until_release(self, ended: int, alarm: process_tree.ChildAlarm) -> None:
        poll = select.poll()
        for waiting in (ended, alarm, self._control):
            poll.register(waiting, select.POLLIN)
        due = monotonic() + POLL_SECONDS
        while True:
            wait = max(0.0, due - monotonic())
            stirring = [descriptor for descriptor, _ in poll.poll(wait * 1000)]
            if self._control.fileno() in stirring and not self._process_command():
                return
            alarm.clear()
            process_tree.reap(self._program)  # whoever loses its parent is this process's child
            if ended in stirring:
                poll.unregister(ended)
                self._report_end()
            elif monotonic() >= due:
                if not (self._stopped or self._ended):
                    self._enforce_limits()
                due = monotonic() + POLL_SECONDS

    def _process_command(self) -> bool:
        """Carry out a command of the host; return whether the host still holds the program."""
        asked = self._control.recv(16)
        if asked:
            self._signal(int(asked))
        return bool(asked)

    def _process_waiting_command(self) -> None:
        """Carry out a command of the host, if there is one; that it has let go is seen later."""
        if select.select([self._control], [], [], 0)[0]:
            self._process_command()

    def _signal(self, number: int) -> None:
        """Send a signal to all processes of the program; stop them however fast they fork."""
        if self._cgroup and number in (signal.SIGSTOP, signal.SIGCONT):
            self._cgroup.freeze(frozen=number == signal.SIGSTOP)
        elif number != signal.SIGSTOP or not self._signal_at_once(number):
            process_tree.send(number, self._list_processes())

    def _signal_at_once(self, number: int) -> bool:
        """Send a signal to all processes of the program at once; return whether that was possible.

        Either they are all there are to this process, or they have a namespace of their own.
        """
        if self._is_alone_in_domain:
            with suppress(ProcessLookupError):
                os.kill(-1, number)
            return True
        sandbox = SANDBOX_PROCESSES[self._request["tier"]]
        first = [*islice(self._iter_processes(depth=sandbox), 1)]
        return bool(sandbox and first) and process_tree.signal_namespace(first[0], number)

    @property
    def _is_alone_in_domain(self) -> bool:
        """Whether this process is in a domain of Landlock with nobody but those it has started."""
        return self._is_in_domain and not _can_signal(os.getppid())

    def _iter_processes(self, depth: int) -> Iterator[int]:
        """Yield the processes that are at least so deep below this one."""
        for process, at in process_tree.iter_descendants(os.getpid()):
            if at >= depth:
                yield process

    def _list_processes(self) -> list[int]:
        """Return the program's own processes, without those of bubblewrap."""
        own = self._iter_processes(depth=1 + SANDBOX_PROCESSES[self._request["tier"]])
        return [*islice(own, self._request["bounds"]["processes"] + 1)]  # more are too many

    def _report_end(self) -> None:
        _, status = os.waitpid(self._program, 0)
        self._program, self._ended = 0, True
        code = os.waitstatus_to_exitcode(status)
        if self._request["tier"] == NAMESPACES:  # all in them ends with the program
            code = bubblewrap.decode_exit_status(code)
            process_tree.kill(os.getpid())
        left = process_tree.list_alive(os.getpid())
        self._leftover_count = len(left)
        if code:  # it may have failed because it could have no more
            excess = [counter.find_excess() for counter in (self._cgroup, self._folder) if counter]
            self._stopped = next(filter(None, [self._stopped, *excess]), "")
        self._report({"status": code, "stopped": self._stopped, "left": len(left)})

    def _enforce_limits(self) -> None:
        """End the program if it has exceeded a limit."""
        self._poll_count += 1
        thorough = self._poll_count % THOROUGH_POLLS == 0
        self._stopped = self._cgroup.find_excess() if self._cgroup else ""
        if not self._stopped and (thorough or not self._cgroup):  # no group counts locks of records
            for excess in self._usage.look(self._list_processes(), thorough=thorough):
                self._stopped = excess
                if excess:
                    break
                self._process_waiting_command()
        if self._stopped:
            self.kill_all()

    def kill_all(self) -> None:
        """End all processes at once, however fast they fork.

        A control group and a namespace of processes end as one. Otherwise they are all there are
        to this process.
        """
        with suppress(ProcessLookupError, PermissionError):
            if self._cgroup:
                self._cgroup.kill()
            elif self._is_alone_in_domain:
                os.kill(-1, signal.SIGKILL)
            elif self._program:
                os.kill(self._program, signal.SIGKILL)

    def _end_all(self) -> None:
        """End all processes, and wait for them."""
        self.kill_all()
        process_tree.kill(os.getpid())

    def finish(self) -> bool:
        """End all processes, and keep the written files if that is wanted.

        Returns whether all that was the program's is gone.
        """
        self._end_all()
        is_clean = True
        try:
            try:
                self._give_back()
            except TransferLimitError as excess:
                is_clean = False
                self._report({"unkept": str(excess)})
            except OSError as problem:
                is_clean = False
                self._report({"unkept": str(problem.strerror), "errno": problem.errno or errno.EIO})
        except OSError:  # the host is gone, or its disk is full: it is told
            pass
        if self._cgroup:
            is_clean = self._cgroup.remove() and is_clean
        return is_clean and self._forget()

    def _give_back(self) -> None:
        if self._folder:
            if self._request["keeps"]:
                self._folder.keep()
        elif self._user is not None:
            hand_over(self._request["folder"], os.getuid())

    def _forget(self) -> bool:
        """Give up the program's folder and its user; return whether that was possible."""
        if self._lock:
            self._lock.close()
        try:
            if self._folder:
                self._folder.close()
        except OSError:
            return False
        return True

    def _report_excess(self, excess: str) -> None:
        """Report that the program was ended because of the initial contents of its folder."""
        self._report({"up": True})
        self._report({"status": -signal.SIGKILL, "stopped": excess, "left": 0})
        while self._process_command():
            pass

    def _report(self, report: KeeperReport) -> None:
        self._control.send(json.dumps(report).encode())


def _wait_until_ready(up: int) -> str:
    """Wait until the sandbox is set up; return the problem, or ""."""
    said = b""
    while chunk := os.read(up, 512):
        said += chunk
        if said.startswith(b"up"):
            break
    os.close(up)
    return "" if said.startswith(b"up") else (said.decode(errors="replace") or "did not start")


def _can_signal(process: int) -> bool:
    """Return whether this process may send signals to that one."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return False
    return True
