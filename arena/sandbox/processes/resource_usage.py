"""The resource usage of a program according to /proc, compared with its limits.

This is how limits of several processes are enforced where the kernel does not count for us
(see `cgroup`, `BoundedFolder`). A look finds what there is at that moment: what comes and goes
between two looks is not seen.

A process that has ended, or is just ending, uses nothing, and never counts against its program,
even where it cannot be looked into: its files in /proc then belong to root. The first thread of
a process may have ended while others run; all is read from one that runs.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from arena.sandbox.messages import ResourceBounds
from arena.sandbox.processes import process_tree

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
        self._cpu_before = process_tree.read_cpu_seconds_of_children()
        self._cpu_seen: dict[tuple[int, str], int] = {}  # clock ticks by process and start
        self._hidden: set[int] = set()  # processes that could not be looked into just now

    def look(self, processes: list[int], *, thorough: bool) -> Iterator[str]:
        """Yield each limit that these processes have exceeded, in words.

        A thorough look also counts files and objects of the kernel. It takes longer where there
        are many, and yields "" in between, for whoever has something else to do.
        """
        running = [*filter(None, map(process_tree.find_running_thread, processes))]
        yield from self._find_excess_of_processes(processes, running)
        if thorough:
            yield from self._find_excess_of_files(running)

    def _find_excess_of_processes(
        self, processes: list[int], running: list[process_tree.Thread]
    ) -> Iterator[str]:
        bounds = self._bounds
        if process_tree.count_threads(processes) > bounds["processes"]:
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
            if found := process_tree.read_stat(process):
                self._cpu_seen[process, found.start] = found.own_ticks
        collected = process_tree.read_cpu_seconds_of_children() - self._cpu_before
        return max(
            collected + process_tree.cpu_seconds(processes),
            sum(self._cpu_seen.values()) / process_tree.TICKS_A_SECOND,
        )

    def _find_excess_of_files(self, running: list[process_tree.Thread]) -> Iterator[str]:
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
        hidden = {process for process in hidden if process_tree.find_running_thread(process)}
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
        self._shared: dict[bytes, int] = {}
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

        Of shared memory it is the size: a process may keep it without having its pages.
        """
        return (
            sum(self._shared.values())
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

    def add(self, thread: process_tree.Thread, *, named: bool) -> None:
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

    def _add_open(self, thread: process_tree.Thread, number: str) -> None:
        self._objects[DESCRIPTORS] += 1
        target = os.readlink(f"{thread.path}/fd/{number}")
        if target.startswith(SOCKET):
            self._sockets.add(target)
        elif target.startswith(PIPE):
            self._pipes.add(target)
        elif target == EPOLL or not target.startswith(OTHERS):
            self._add_file(thread, number)

    def _add_file(self, thread: process_tree.Thread, number: str) -> None:
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

    def _add_mappings(self, thread: process_tree.Thread, *, named: bool) -> None:
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
        first, _, last = span.partition(b"-")
        size = int(last, 16) - int(first, 16) + int(offset, 16)
        name = b"%b %b" % (device, inode)
        if path.strip() == SHARED_MEMORY:
            self._shared[name] = max(size, self._shared.get(name, 0))
        elif not named:
            major, _, minor = device.partition(b":")
            if (os.makedev(int(major, 16), int(minor, 16)), int(inode)) not in self._unnamed:
                self._mapped[name] = max(size, self._mapped.get(name, 0))


def _fits(running: list[process_tree.Thread], limit_bytes: int, *, shared: bool) -> bool:
    """Return whether the memory of processes, with page tables, is within a limit.

    A page that several share counts in each of them, unless that sum passes the limit: then it
    is shared out among them, which takes the kernel longer. Without `shared`, shared memory does
    not count.
    """
    sizes = [process_tree.read_memory(thread) for thread in running]
    tables = sum(size.table_bytes for size in sizes)
    own = [size.resident_bytes - (0 if shared else size.shared_bytes) for size in sizes]
    return sum(own) + tables <= limit_bytes or limit_bytes >= tables + sum(
        process_tree.read_shared_out_bytes(thread, size, with_shared=shared)
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
