"""Checks of the arguments of system calls that are allowed only in part.

Constants are those of the kernel's headers; they are the same on x86-64 and on AArch64.
"""

from __future__ import annotations

import errno
import functools
import operator
import stat
from collections.abc import Mapping

from arena.sandbox.kernel.bpf import (
    ERROR,
    EVERY_BIT,
    Check,
    at_most,
    if_bits,
    needs_bits,
    no_bits,
    null,
    one_of,
    refuse,
)

PRIVATE_MODE = 0o700  # what a linker makes of its output, where the mask is of this kind
ALL_MODES, FILE_TYPE = 0o7777, 0o170000
SPECIAL_MODES = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
CREATING = 0o100 | 0o20000000  # O_CREAT and O_TMPFILE: only then open(2) takes a mode

CLONE_FLAGS = {
    "SIGCHLD": 17, "CLONE_VM": 0x100, "CLONE_FS": 0x200, "CLONE_FILES": 0x400,
    "CLONE_SIGHAND": 0x800, "CLONE_PIDFD": 0x1000, "CLONE_VFORK": 0x4000, "CLONE_THREAD": 0x10000,
    "CLONE_SYSVSEM": 0x40000, "CLONE_SETTLS": 0x80000, "CLONE_PARENT_SETTID": 0x100000,
    "CLONE_CHILD_CLEARTID": 0x200000, "CLONE_DETACHED": 0x400000, "CLONE_CHILD_SETTID": 0x1000000,
}  # fmt: skip
"""What fork, vfork, posix_spawn and threads of glibc, musl and Go set. Not among them: new
namespaces, and to become a child of one's own parent."""

FCNTL_COMMANDS = {
    "F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_GETLK": 5,
    "F_SETLK": 6, "F_SETLKW": 7, "F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032,
}  # fmt: skip
"""Of fcntl(2). Not among them: leases and notices, with which a program stops or watches whoever
opens a file, and whom signals go to. Locks of records are: SQLite does nothing without them."""

IOCTL_REQUESTS = {
    "TCGETS": 0x5401, "TCGETS2": 0x802C542A, "TIOCGPGRP": 0x540F, "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451,
}  # fmt: skip

FILE_ADVICE = {
    "POSIX_FADV_NORMAL": 0, "POSIX_FADV_RANDOM": 1, "POSIX_FADV_SEQUENTIAL": 2,
    "POSIX_FADV_WILLNEED": 3, "POSIX_FADV_NOREUSE": 5,
}  # fmt: skip
"""Not among it: that nobody will need a file, so that others read it from the disk again."""

STREAM, SEQPACKET, SOCKET_FLAGS = 1, 5, 0o2004000
UNIX = 1
SOL_SOCKET, SOCKET_TIMEOUTS = 1, (20, 21, 66, 67)  # for receiving and sending, old and new
CLOSE_RANGE_UNSHARE = 2

PRCTL_OPTIONS = {
    "PR_SET_PDEATHSIG": 1, "PR_GET_PDEATHSIG": 2, "PR_GET_DUMPABLE": 3, "PR_GET_KEEPCAPS": 7,
    "PR_SET_NAME": 15, "PR_GET_NAME": 16, "PR_GET_SECCOMP": 21, "PR_CAPBSET_READ": 23,
    "PR_GET_SECUREBITS": 27, "PR_SET_TIMERSLACK": 29, "PR_GET_TIMERSLACK": 30,
    "PR_GET_CHILD_SUBREAPER": 37, "PR_SET_NO_NEW_PRIVS": 38, "PR_GET_NO_NEW_PRIVS": 39,
    "PR_GET_TID_ADDRESS": 40, "PR_SET_THP_DISABLE": 41, "PR_GET_THP_DISABLE": 42,
    "PR_SVE_GET_VL": 51, "PR_GET_SPECULATION_CTRL": 52, "PR_PAC_RESET_KEYS": 54,
    "PR_SET_TAGGED_ADDR_CTRL": 55, "PR_GET_TAGGED_ADDR_CTRL": 56, "PR_SME_GET_VL": 64,
    "PR_GET_AUXV": 0x41555856, "PR_SET_VMA": 0x53564D41,
}  # fmt: skip
"""Of prctl(2): what a process tells of itself, its names, and its own memory."""

PRCTL_OPTIONS_OF_SETPRIV = {"PR_SET_KEEPCAPS": 8, "PR_CAPBSET_DROP": 24, "PR_CAP_AMBIENT": 47}

LAST_CLOCK = 11  # CLOCK_TAI; behind it are those of processes, by their complement
FIRST_OWN_CLOCK = 0xFFFFFFF8  # from here on those of process 0, which is the caller
THREAD_CLOCK = 4  # the bit of clocks of threads: the kernel reads only those of the caller's


def _refuse_special_modes(mode: int) -> Check:
    """Refuse to create a file or folder with set-uid, set-gid or sticky bits."""
    return no_bits(mode, SPECIAL_MODES)


def _refuse_devices(mode: int) -> Check:
    """Refuse to create a device or a socket."""
    return _refuse_special_modes(mode) + one_of(mode, 0, stat.S_IFREG, stat.S_IFIFO, bits=FILE_TYPE)


def _combine_flags(flags: Mapping[str, int]) -> int:
    return functools.reduce(operator.or_, flags.values())


def _allow_private_mode(mode: int) -> Check:
    return one_of(mode, PRIVATE_MODE, bits=ALL_MODES)


CHECKS: Mapping[str, Check] = {
    "open": if_bits(1, CREATING, _refuse_special_modes(2)),
    "openat": if_bits(2, CREATING, _refuse_special_modes(3)),
    "creat": _refuse_special_modes(1),
    "mkdir": _refuse_special_modes(1),
    "mkdirat": _refuse_special_modes(2),
    "mknod": _refuse_devices(1),
    "mknodat": _refuse_devices(2),
    "chmod": _refuse_special_modes(1),
    "fchmod": _refuse_special_modes(1),
    "fchmodat": _refuse_special_modes(2),
    "fchmodat2": _refuse_special_modes(2),
    "fcntl": one_of(1, *FCNTL_COMMANDS.values()),
    "ioctl": one_of(1, *IOCTL_REQUESTS.values(), action=ERROR | errno.ENOTTY),
    "fadvise64": one_of(3, *FILE_ADVICE.values()),
    "close_range": no_bits(2, CLOSE_RANGE_UNSHARE),
    "socketpair": one_of(0, UNIX) + one_of(1, STREAM, SEQPACKET, bits=~SOCKET_FLAGS & EVERY_BIT),
    "sendto": null(4),
    "setsockopt": one_of(1, SOL_SOCKET) + one_of(2, *SOCKET_TIMEOUTS),
    "clone": no_bits(0, ~_combine_flags(CLONE_FLAGS) & EVERY_BIT)
    + if_bits(0, CLONE_FLAGS["CLONE_THREAD"], needs_bits(0, CLONE_FLAGS["CLONE_FILES"])),
    "setpriority": one_of(0, 0) + one_of(1, 0),
    "prlimit64": one_of(0, 0),
}
"""The checks of both tiers."""

OWN_CLOCK = at_most(0, LAST_CLOCK, or_at_least=FIRST_OWN_CLOCK, or_bit=THREAD_CLOCK)
OWN_PROCESS_CHECKS: Mapping[str, Check] = {
    "clock_gettime": OWN_CLOCK, "clock_getres": OWN_CLOCK, "clock_nanosleep": OWN_CLOCK,
    "timer_create": OWN_CLOCK, "getpriority": one_of(1, 0),
    "sched_setaffinity": one_of(0, 0), "sched_setscheduler": one_of(0, 0),
    "sched_setparam": one_of(0, 0),
}  # fmt: skip
"""The checks for programs whose process namespace does not hide other processes."""

TIMES_OF_OPEN_FILES: Mapping[str, Check] = {
    "utime": refuse(), "utimes": refuse(), "futimesat": refuse(), "utimensat": null(1),
}  # fmt: skip
"""Where files of the host's are within reach by their paths, and not mounted read-only. A
program can open no more of them than Landlock lets it."""

NO_MODES: Mapping[str, Check] = {
    "chmod": refuse(), "fchmod": refuse(), "fchmodat": refuse(), "fchmodat2": refuse(),
}  # fmt: skip
"""The checks for files that belong to the program's own user, too."""

PRIVATE_MODES: Mapping[str, Check] = {
    "chmod": _allow_private_mode(1), "fchmod": _allow_private_mode(1),
    "fchmodat": _allow_private_mode(2), "fchmodat2": _allow_private_mode(2),
}  # fmt: skip
"""The checks for builds there, in which linkers make their output executable by its path."""
