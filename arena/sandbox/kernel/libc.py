"""System calls that Python lacks: prctl(2), capabilities, Landlock, mounts.

Only what a process does to itself before it becomes a bot; nothing here can be undone. The last
lines list the files in /proc that a program behind Landlock may read.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

LIBC = ctypes.CDLL(None, use_errno=True)

DUMPABLE, SECCOMP, BOUNDING_DROP, SUBREAPER, NO_NEW_PRIVILEGES = 4, 22, 24, 36, 38
NO_HUGE_PAGES = 41
KEEP_CAPABILITIES, AMBIENT, AMBIENT_RAISE = 8, 47, 2
SEARCH = 2  # CAP_DAC_READ_SEARCH
FILTER = 2  # the mode of seccomp that takes a filter
CAPABILITIES_3 = 0x20080522  # the version of struct __user_cap_header_struct
LAST_CAPABILITY = 63

MOUNT_SETATTR = 442  # the same number on every machine
HERE, RECURSIVELY, READ_ONLY = -100, 0x8000, 1  # AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same number on every machine
VERSION = 1  # the flag that asks for the version
PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, IOCTL_DEV = 1, 2, 4, 8, 1 << 15
EVERY_ACCESS = (1 << 16) - 1  # to files, up to version 5
READING = EXECUTE | READ_FILE | READ_DIR
REFER = 1 << 13  # to rename and link from folder to folder: every domain has to allow it
WRITING = EVERY_ACCESS & ~(IOCTL_DEV | 1 << 6 | 1 << 11)  # but devices: MAKE_CHAR, MAKE_BLOCK
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | IOCTL_DEV  # the rest is for folders
NETWORK = 3  # binding and connecting TCP
SIGNALS = 2
SCOPES = 1 | SIGNALS  # the former: abstract Unix sockets
MIN_LANDLOCK_VERSION = 6  # the first with scopes

NEW_MOUNTS, NEW_USERS, NEW_PROCESSES = 0x00020000, 0x10000000, 0x20000000  # of namespaces
NO_SUID, NO_DEVICES, RECURSIVE, SLAVE_MOUNTS = 2, 4, 1 << 14, 1 << 19  # of mount(2)
DETACH = 2  # of umount2(2): at once, whoever still uses it


def _check_result(result: int, operation: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{operation}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int | ctypes.c_void_p = 0) -> None:
    """Set an option of the kernel for this process; raise OSError."""
    _check_result(LIBC.prctl(option, value, 0, 0, 0), f"prctl {option}")


def prctl_filter(compiled: bytes) -> None:
    """Install a filter for the system calls of this process and its children."""
    program = ctypes.create_string_buffer(compiled, len(compiled))
    header = struct.pack("HxxxxxxP", len(compiled) // 8, ctypes.addressof(program))
    held = ctypes.create_string_buffer(header, len(header))
    result = LIBC.prctl(SECCOMP, FILTER, ctypes.c_void_p(ctypes.addressof(held)), 0, 0)
    _check_result(result, "seccomp")


def bound_capabilities() -> None:
    """Let no program that this process starts gain a capability, except by `become`."""
    for capability in range(LAST_CAPABILITY + 1):
        if capability != SEARCH:
            try:
                prctl(BOUNDING_DROP, capability)
            except OSError:  # unknown, as all above; or an ordinary user, who has none
                return


def become(user: int | None, *, searching: bool) -> None:
    """Drop all capabilities of root, and become another user if one is given.

    With `searching` it may still go through every folder: what it may open there, Landlock
    says. That is for programs whose files only root gets to. The bounding set is restricted
    before, by `bound_capabilities`.
    """
    if not searching:
        with suppress(OSError):  # not allowed to an ordinary user, who has none
            prctl(BOUNDING_DROP, SEARCH)
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        prctl(KEEP_CAPABILITIES, 1)
        os.setresuid(user, user, user)
    kept = 1 << SEARCH if searching else 0
    header = ctypes.create_string_buffer(struct.pack("Ii", CAPABILITIES_3, 0))
    sets = ctypes.create_string_buffer(struct.pack("6I", kept, kept, kept, 0, 0, 0))
    _check_result(LIBC.capset(header, sets), "capset")
    if searching:
        _check_result(LIBC.prctl(AMBIENT, AMBIENT_RAISE, SEARCH, 0, 0), "capabilities")


def read_landlock_version() -> int:
    """Return the version of Landlock, or 0 if there is none."""
    return max(0, int(LIBC.syscall(CREATE_RULESET, None, 0, VERSION)))


def landlock(reads: Iterable[str], writes: Iterable[str], lists: Iterable[str] = ()) -> None:
    """Restrict this process to these files and folders; raise OSError.

    Of `lists` it may read the names that are in them. It may neither bind nor connect, and
    neither signal nor reach by an abstract socket what is outside.
    """
    ruleset = _create_ruleset(EVERY_ACCESS, NETWORK, SCOPES)
    for path in reads:
        _allow(ruleset, path, READING)
    for path in writes:
        _allow(ruleset, path, WRITING)
    for path in lists:
        _allow(ruleset, path, READ_DIR)
    _enter(ruleset)


def signal_only_own() -> None:
    """Restrict the signals of this process to its own children, which share its domain."""
    ruleset = _create_ruleset(REFER, 0, SIGNALS)
    _allow(ruleset, "/", REFER)
    _enter(ruleset)


def _create_ruleset(files: int, network: int, scopes: int) -> int:
    attributes = struct.pack("QQQ", files, network, scopes)
    words = ctypes.c_char_p(attributes), len(attributes), 0
    return _check_result(LIBC.syscall(CREATE_RULESET, *words), "landlock")


def _enter(ruleset: int) -> None:
    _check_result(LIBC.syscall(RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    with suppress(FileNotFoundError):
        found = os.open(path, os.O_PATH)
        folder = stat.S_ISDIR(os.fstat(found).st_mode)
        rule = struct.pack("=Qi", access if folder else access & OF_FILES, found)
        result = LIBC.syscall(ADD_RULE, ruleset, PATH_BENEATH, ctypes.c_char_p(rule), 0)
        _check_result(result, f"landlock: {path}")
        os.close(found)


def make_read_only(*writable: str) -> None:
    """Make all mounts except these read-only for this process.

    Raises:
        OSError: it may not mount.
    """
    unshare(NEW_MOUNTS)
    _set_mount("/", RECURSIVELY, set_flags=READ_ONLY)
    for path in writable:
        _set_mount(path, 0, clear_flags=READ_ONLY)


def _set_mount(path: str, flags: int, *, set_flags: int = 0, clear_flags: int = 0) -> None:
    attributes = struct.pack("QQQQ", set_flags, clear_flags, 0, 0)
    words = HERE, os.fsencode(path), flags, attributes, len(attributes)
    _check_result(LIBC.syscall(MOUNT_SETATTR, *words), f"mount_setattr: {path}")


def unshare(kinds: int) -> None:
    """Give this process namespaces of its own; raise OSError."""
    _check_result(LIBC.unshare(kinds), "unshare")


def setns(namespace: int, kind: int) -> None:
    """Enter a namespace that is open; raise OSError."""
    _check_result(LIBC.setns(namespace, kind), "setns")


def mount(kind: str | None, where: str, flags: int, data: str = "") -> None:
    """Mount a file system, or change how mounts spread; raise OSError."""
    name = kind.encode() if kind else None
    result = LIBC.mount(name, os.fsencode(where), name, ctypes.c_ulong(flags), data.encode())
    _check_result(result, f"mount {kind}")


def unmount(where: str) -> None:
    """Take away the file system that is mounted over a folder; raise OSError."""
    _check_result(LIBC.umount2(os.fsencode(where), DETACH), f"umount {where}")


# Of itself: what runtimes look for. `net`, `mountinfo`, `mounts` and `cgroup` are not among it:
# behind Landlock they are those of the host, with the paths of its sockets and its disks. They
# are below `task`, too, of which names may be listed and nothing read. A child has another folder
# in /proc, and reads nothing there.
OWN_FILES = (
    "auxv", "cmdline", "comm", "coredump_filter", "environ", "limits", "maps", "oom_score",
    "oom_score_adj", "smaps", "smaps_rollup", "stat", "statm", "status", "wchan",
)  # fmt: skip
READABLE = (
    *(f"/proc/self/{name}" for name in OWN_FILES),
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
    "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/ostype",
)  # fmt: skip
LISTABLE = ("/proc/self/fd", "/proc/self/task")
