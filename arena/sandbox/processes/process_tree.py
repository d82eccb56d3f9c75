"""The process tree of a program: its processes found, measured, held to limits, and ended.

They are the descendants of a keeper. It is their subreaper (prctl(2)), so that whoever lost
its parent is its child, however often it has forked and whatever session it is in. What is
read here is described in proc(5).

`UsageMonitor` is how limits of several processes are enforced where the kernel does not count for
us (see `cgroup`, `BoundedFolder`). A look finds what there is at that moment: what comes and goes
between two looks is not seen. A process that has ended, or is just ending, uses nothing, and never
counts against its program, even where it cannot be looked into: its files in /proc then belong to
root. The first thread of a process may have ended while others run; all is read from one that runs.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from arena.sandbox.kernel import libc
from arena.sandbox.kernel.seccomp import MAX_SHARED_MEMORY_BYTES
from arena.sandbox.messages import ResourceBounds

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
KB = 1024
FIRST_OF_STAT = 3  # the fields of /proc/PID/stat behind the name begin with the third
STATE, FLAGS, START_TIME = (field - FIRST_OF_STAT for field in (3, 9, 22))
OWN_CPU = range(14 - FIRST_OF_STAT, 16 - FIRST_OF_STAT)
CPU_WITH_CHILDREN = range(14 - FIRST_OF_STAT, 18 - FIRST_OF_STAT)  # those it has waited for
WAKEUP_BYTES = 4096  # that signals may have left: each leaves one
EXITING = 0x4  # PF_EXITING: it has no memory and no files any more, or soon will not
RESIDENT, SHARED, SWAPPED = "VmRSS", "RssShmem", "VmSwap"  # of /proc/PID/status
HUGE, TABLES, PINNED = "HugetlbPages", "VmPTE", "VmPin"


class ProcessStat(NamedTuple):
    """The status of a process or thread from /proc."""

    fields: list[str]  # of /proc/PID/stat, from the third on

    @property
    def is_running(self) -> bool:
        """Whether it has neither ended nor started to end."""
        return self.fields[STATE] not in "ZX" and not int(self.fields[FLAGS]) & EXITING

    @property
    def start(self) -> str:
        """The start time, which identifies it together with its number."""
        return self.fields[START_TIME]

    @property
    def own_ticks(self) -> int:
        """The CPU time that it has used itself, in clock ticks."""
        return sum(int(self.fields[at]) for at in OWN_CPU)

    @property
    def ticks(self) -> int:
        """The CPU time of it and of the children that it has waited for, in clock ticks."""
        return sum(int(self.fields[at]) for at in CPU_WITH_CHILDREN)


class Thread(NamedTuple):
    """A running thread of a process, whose files in /proc describe the process."""

    process: int
    path: str  # in /proc


class MemoryUsage(NamedTuple):
    """The memory of a process, in bytes."""

    resident_bytes: int  # what is swapped out counts, too
    shared_bytes: int  # of that: what is no file's, or a file's in memory, and not a process's own
    table_bytes: int  # page tables, and pages that are pinned or huge


def iter_descendants(process: int) -> Iterator[tuple[int, int]]:
    """Yield all descendants of a process, each with its depth; children have 1."""
    waiting = [(process, 0)]
    while waiting:
        parent, depth = waiting.pop()
        for child in list_children(parent):
            yield child, depth + 1
            waiting.append((child, depth + 1))


def list_children(process: int) -> list[int]:
    """Return the children of all threads of a process."""
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def list_alive(process: int) -> list[int]:
    """Return the descendants that have not ended."""
    return [
        descendant for descendant, _ in iter_descendants(process) if find_running_thread(descendant)
    ]


def find_running_thread(process: int) -> Thread | None:
    """Return a running thread of a process, or None if all have ended.

    It is the first thread in all but odd cases: that one may end before the others.
    """
    first = Thread(process, f"/proc/{process}")
    if _is_running(first.path):
        return first
    with suppress(OSError):
        for name in os.listdir(f"/proc/{process}/task"):
            path = f"/proc/{process}/task/{name}"
            if _is_running(path):
                return Thread(process, path)
    return None


def _is_running(path: str) -> bool:
    found = _read_stat(path)
    return found is not None and found.is_running


def count_threads(processes: list[int]) -> int:
    """Return the number of threads of these processes."""
    count = 0
    for process in processes:
        with suppress(OSError):  # /proc/PID/task has a link for each, beside its own two
            count += os.stat(f"/proc/{process}/task").st_nlink - 2
    return count


def read_memory(thread: Thread) -> MemoryUsage:
    """Return the memory of a thread's process; zero once it has ended."""
    found = dict.fromkeys((RESIDENT, SHARED, SWAPPED, HUGE, TABLES, PINNED), 0)
    with suppress(OSError), open(f"{thread.path}/status", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) * KB
    resident, shared = found.pop(RESIDENT) + found.pop(SWAPPED), found.pop(SHARED)
    return MemoryUsage(resident, shared, sum(found.values()))


def read_shared_out_bytes(thread: Thread, otherwise: int, *, with_shared: bool) -> int:
    """Return the proportional memory (PSS) of a process, in bytes."""
    with suppress(OSError), open(f"{thread.path}/smaps_rollup") as file:
        values = dict(line.split()[:2] for line in file if line.endswith("kB\n"))
        total = int(values["Pss:"]) + int(values.get("SwapPss:", 0))
        return KB * (total - (0 if with_shared else int(values.get("Pss_Shmem:", 0))))
    return otherwise


def cpu_seconds(processes: Iterable[int]) -> float:
    """Return the CPU seconds of these processes and of the children they have waited for."""
    return sum(found.ticks for found in map(read_stat, processes) if found) / TICKS_A_SECOND


def read_stat(process: int) -> ProcessStat | None:
    """Return the status of a process from /proc, or None once it is gone."""
    return _read_stat(f"/proc/{process}")


def _read_stat(path: str) -> ProcessStat | None:
    try:
        with open(f"{path}/stat", "rb") as file:
            return ProcessStat(file.read().rpartition(b")")[2].decode().split())
    except OSError:
        return None


def kill(process: int) -> None:
    """End all descendants of this process, and wait for them.

    All are stopped before the first is ended, or one could start others meanwhile.
    """
    while found := [descendant for descendant, _ in iter_descendants(process)]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            send(number, found)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
        reap()


def signal_namespace(first: int, number: int) -> bool:
    """Send a signal at once to all in a namespace of processes but its first one.

    However fast they fork, none is missed: the kernel does it for whoever is inside, and a fork of
    this process is for a moment. Return whether it was done: a program of the same user may have
    stopped or ended that fork before.
    """
    helper = os.fork()
    if helper == 0:
        status = 1
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            libc.setns(os.open(f"/proc/{first}/ns/pid", os.O_RDONLY), libc.NEW_PROCESSES)
            inside = os.fork()  # the first in that namespace to have this parent
            if inside == 0:
                if os.getppid() == 0:  # which is not in it
                    os.kill(-1, number)
                    status = 0
            else:
                status = os.waitpid(inside, os.WUNTRACED)[1]
                if os.WIFSTOPPED(status):
                    os.kill(inside, signal.SIGKILL)
        finally:
            os._exit(1 if status else 0)
    return os.waitpid(helper, 0)[1] == 0


def send(number: int, processes: Iterable[int]) -> None:
    """Send a signal to the processes that exist and may be signalled."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def reap(kept: int = 0) -> None:
    """Collect the exit status of all children that have ended, until one has that is kept."""
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == kept:
                break
            os.waitpid(ended.si_pid, 0)


def read_cpu_seconds_of_children() -> float:
    """Return the CPU seconds of all children that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class ChildAlarm:
    """A descriptor that becomes readable when a child of this process ends."""

    def __init__(self) -> None:
        self._ends, self._signals = socket.socketpair()
        for end in (self._ends, self._signals):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only wakes: nothing is done meanwhile
        signal.set_wakeup_fd(self._signals.fileno(), warn_on_full_buffer=False)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._ends.fileno()

    def clear(self) -> None:
        """Empty the descriptor, which is readable again when the next child ends."""
        with suppress(BlockingIOError):
            self._ends.recv(WAKEUP_BYTES)

    def close(self) -> None:
        """Ignore SIGCHLD again, as is the default."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._ends.close()
        self._signals.close()


BLOCK_BYTES = 512  # as stat(2) counts them
SOCKET_BYTES = 2 * 212_992  # that may wait in one: no process has them mapped
PIPE_BYTES = 65_536  # that may wait in one
KERNEL_OBJECT_BYTES = 200  # of each of these, about
WATCHES, LOCKS, MAPPINGS = "epoll watches", "locks of records", "mappings"
DESCRIPTORS = "open descriptors"
MAX_KERNEL_OBJECTS = {WATCHES: 20_000, LOCKS: 20_000, MAPPINGS: 100_000, DESCRIPTORS: 10_000}
"""Of all processes together. They take memory of the kernel's, and the time of whoever counts them;
of epoll watches (epoll(7)) a user has some millions. Locks are those of fcntl(2)."""
OF_DESCRIPTORS = {b"tfd": WATCHES, b"lock": LOCKS}  # by the beginning of a line in fdinfo
SOCKET, PIPE = "socket:[", "pipe:["  # begin what /proc/PID/fd says of one, before its number
OTHERS, EPOLL = "anon_inode:", "anon_inode:[eventpoll]"  # that are no files
READ_BYTES = 1 << 20  # of a file in /proc at once
DELETED = b" (deleted)\n"  # ends the line of a mapping whose file has no name
SHARED_MEMORY = b"/dev/zero (deleted)"  # what the kernel calls the file of shared memory
MAX_UNNAMED_MAPPINGS = 16  # files without a name that are mapped: their size is not told
HIDDEN_FOLDER = "a folder that cannot be read"
HIDDEN_PROCESS = "a process that cannot be inspected"


class UsageMonitor:
    """Finds the limit that a program has exceeded with all its processes.

    Args:
        bounds: what it may use.
        folder: the folder that it writes to; None: the kernel counts what is written.
    """

    def __init__(self, bounds: ResourceBounds, folder: str | None) -> None:
        self._bounds, self._folder = bounds, folder
        self._cpu_before = read_cpu_seconds_of_children()
        self._cpu_seen: dict[tuple[int, str], int] = {}  # clock ticks by process and start
        self._hidden: set[int] = set()  # processes that could not be looked into just now

    def look(self, processes: list[int], *, thorough: bool) -> Iterator[str]:
        """Yield each limit that these processes have exceeded, in words.

        A thorough look also counts files and objects of the kernel. It takes longer where there
        are many, and yields "" in between, for whoever has something else to do.
        """
        running = [*filter(None, map(find_running_thread, processes))]
        yield from self._find_excess_of_processes(processes, running)
        if thorough:
            yield from self._find_excess_of_files(running)

    def _find_excess_of_processes(
        self, processes: list[int], running: list[Thread]
    ) -> Iterator[str]:
        bounds = self._bounds
        if count_threads(processes) > bounds["processes"]:
            yield f"more than {bounds['processes']} processes"
        if bounds["memory"] is not None and not _fits(running, bounds["memory"], shared=True):
            yield _describe_memory_limit(bounds["memory"])
        if bounds["cpu"] is not None and self._cpu_seconds(processes) > bounds["cpu"]:
            yield f"more than {bounds['cpu']:g} s of the processor"

    def _cpu_seconds(self, processes: list[int]) -> float:
        """Return the CPU seconds of these and of ended processes, as far as known.

        The kernel adds up the children that were waited for; children that nobody waited for are
        known only as they were last seen. Each of the two sums is too low, never too high. This
        process waits for those that have lost their parents.
        """
        for process in processes:
            if found := read_stat(process):
                self._cpu_seen[process, found.start] = found.own_ticks
        collected = read_cpu_seconds_of_children() - self._cpu_before
        return max(
            collected + cpu_seconds(processes),
            sum(self._cpu_seen.values()) / TICKS_A_SECOND,
        )

    def _find_excess_of_files(self, running: list[Thread]) -> Iterator[str]:
        memory, hidden = self._bounds["memory"], set()
        found = OpenFiles(memory)
        for thread in running:
            if found.is_excessive:
                break
            try:
                found.add(thread, named=self._folder is None)
            except PermissionError:
                hidden.add(thread.process)
            yield ""
        hidden = {process for process in hidden if find_running_thread(process)}
        if hidden & self._hidden:
            yield HIDDEN_PROCESS
        self._hidden = hidden
        if found.too_many_objects:
            yield found.too_many_objects
        if memory is not None and not _fits(running, memory - found.unmapped_bytes, shared=False):
            yield _describe_memory_limit(memory)
        if self._folder is not None:
            yield from self._find_excess_written(self._folder, found)

    def _find_excess_written(self, folder: str, found: OpenFiles) -> Iterator[str]:
        bounds = self._bounds
        if found.unnamed_mappings > MAX_UNNAMED_MAPPINGS:
            yield f"more than {MAX_UNNAMED_MAPPINGS} mapped files without a name"
        size, files = found.unnamed_bytes, 0
        try:
            for entry_bytes in _iter_entry_sizes(folder):
                size, files = size + entry_bytes, files + 1
                if files > bounds["files"]:
                    yield f"more than {bounds['files']:,} files"
        except OSError:  # it may not be read, or lies too deep
            yield HIDDEN_FOLDER
        if size > bounds["disk"]:
            yield f"more than {bounds['disk'] >> 20} MB of files"


class OpenFiles:
    """Unnamed files, shared memory and kernel objects that processes hold.

    Args:
        memory: how much of it they may hold, in bytes; None: any.
    """

    def __init__(self, memory: int | None) -> None:
        self._memory = memory
        self._shared: set[bytes] = set()
        self._unnamed: dict[tuple[int, int], int] = {}
        self._mapped: dict[bytes, int] = {}
        self._sockets: set[str] = set()
        self._pipes: set[str] = set()
        self._objects: Counter[str] = Counter()

    @property
    def unnamed_bytes(self) -> int:
        """The size of unnamed files that are open or mapped, in bytes, as far as known."""
        return sum(self._unnamed.values()) + sum(self._mapped.values())

    @property
    def unnamed_mappings(self) -> int:
        """The number of unnamed files that are mapped but not open."""
        return len(self._mapped)

    @property
    def unmapped_bytes(self) -> int:
        """The memory that is mapped in no process, or need not be, in bytes: the kernel's, shared.

        Of a piece of shared memory it is the most that it can be: a process may keep all of it and
        have only a page mapped.
        """
        return (
            len(self._shared) * MAX_SHARED_MEMORY_BYTES
            + len(self._sockets) * SOCKET_BYTES
            + len(self._pipes) * PIPE_BYTES
            + self._objects.total() * KERNEL_OBJECT_BYTES
        )

    @property
    def is_excessive(self) -> bool:
        """Whether some limit has been exceeded already, so that nothing more need be looked at."""
        too_large = self._memory is not None and self.unmapped_bytes > self._memory
        return too_large or bool(self.too_many_objects)

    @property
    def too_many_objects(self) -> str:
        """The kind of kernel objects of which there are too many, in words, or ""."""
        limits = MAX_KERNEL_OBJECTS.items()
        found = (
            f"more than {most:,} {name}" for name, most in limits if self._objects[name] > most
        )
        return next(found, "")

    def add(self, thread: Thread, *, named: bool) -> None:
        """Add the open and mapped files of a process; raise PermissionError.

        Args:
            thread: of the process.
            named: whether the kernel counts files without a name, so that they are not looked for.
        """
        with suppress(FileNotFoundError, ProcessLookupError):
            for number in os.listdir(f"{thread.path}/fd"):
                if self.is_excessive:
                    break
                with suppress(FileNotFoundError, ProcessLookupError):
                    self._add_open(thread, number)
            self._add_mappings(thread, named=named)

    def _add_open(self, thread: Thread, number: str) -> None:
        self._objects[DESCRIPTORS] += 1
        target = os.readlink(f"{thread.path}/fd/{number}")
        if target.startswith(SOCKET):
            self._sockets.add(target)
        elif target.startswith(PIPE):
            self._pipes.add(target)
        elif target == EPOLL or not target.startswith(OTHERS):
            self._add_file(thread, number)

    def _add_file(self, thread: Thread, number: str) -> None:
        held = os.stat(f"{thread.path}/fd/{number}")
        if stat.S_ISFIFO(held.st_mode):
            self._pipes.add(f"{held.st_dev} {held.st_ino}")
        elif held.st_nlink == 0 and stat.S_ISREG(held.st_mode):
            self._unnamed[held.st_dev, held.st_ino] = held.st_blocks * BLOCK_BYTES
        with open(f"{thread.path}/fdinfo/{number}", "rb", buffering=0) as file:
            while not self.is_excessive and (piece := file.read(READ_BYTES)):  # whole lines
                for line in piece.splitlines():
                    if name := OF_DESCRIPTORS.get(line.partition(b":")[0]):
                        self._objects[name] += 1

    def _add_mappings(self, thread: Thread, *, named: bool) -> None:
        with open(f"{thread.path}/maps", "rb", buffering=0) as file:
            while piece := file.read(READ_BYTES):  # whole lines
                self._objects[MAPPINGS] += piece.count(b"\n")
                if DELETED in piece:
                    for line in piece.splitlines(keepends=True):
                        if line.endswith(DELETED):
                            self._add_mapping(line, named=named)

    def _add_mapping(self, line: bytes, *, named: bool) -> None:
        """Add a mapping of shared memory, or of a file without a name, with the mapped size."""
        span, _, offset, device, inode, path = line.split(maxsplit=5)
        name = b"%b %b" % (device, inode)
        if path.strip() == SHARED_MEMORY:
            self._shared.add(name)
        elif not named:
            first, _, last = span.partition(b"-")
            size = int(last, 16) - int(first, 16) + int(offset, 16)
            major, _, minor = device.partition(b":")
            if (os.makedev(int(major, 16), int(minor, 16)), int(inode)) not in self._unnamed:
                self._mapped[name] = max(size, self._mapped.get(name, 0))


def _fits(running: list[Thread], limit_bytes: int, *, shared: bool) -> bool:
    """Return whether the memory of processes, with page tables, is within a limit.

    A page that several share counts in each of them, unless that sum passes the limit: then it
    is shared out among them, which takes the kernel longer. Without `shared`, shared memory does
    not count.
    """
    sizes = [read_memory(thread) for thread in running]
    tables = sum(size.table_bytes for size in sizes)
    own = [size.resident_bytes - (0 if shared else size.shared_bytes) for size in sizes]
    return sum(own) + tables <= limit_bytes or limit_bytes >= tables + sum(
        read_shared_out_bytes(thread, size, with_shared=shared)
        for thread, size in zip(running, own, strict=True)
    )


def _describe_memory_limit(limit_bytes: int) -> str:
    return f"more than {limit_bytes >> 20} MB of memory"


def _iter_entry_sizes(folder: str) -> Iterator[int]:
    """Yield the size of each entry of a folder: the larger of its length and its disk usage."""
    waiting = [folder]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    found = entry.stat(follow_symlinks=False)
                    yield max(found.st_size, found.st_blocks * BLOCK_BYTES)  # holes count, too
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
