"""The filter that allows untrusted programs the system calls they need, and no others.

The filter is a program for the kernel's classic BPF (seccomp(2)). It reads a `struct seccomp_data`
(the call's number, the architecture, six arguments of 64 bits) and returns an action. A *check* is
a list of instructions that looks at arguments: it returns a refusal, or runs on behind its last
instruction. Most arguments are of 32 bits, and the kernel ignores the rest of their registers; so
do the checks.

The calls are what interpreters, compilers and bots were seen to make in thirteen languages, and
what their libraries make elsewhere; the decision about the sandbox says how they were found. Some
are allowed only with the arguments that `CHECKS` let through. All else is not permitted; what
libraries can do without is not there, as on a kernel that lacks it. Constants are those of the
kernel's headers, which are the same on x86-64 and on AArch64 but for the numbers of the calls.
"""

from __future__ import annotations

import errno
import functools
import operator
import os
import stat
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*


@cache
def compile_filter(
    *,
    landlock: bool = False,
    exposed: bool = False,
    shared_user: bool = False,
    builds: bool = False,
    polled: bool = False,
    machine: str = "",
) -> bytes:
    """Return the filter as bytes, eight for each instruction.

    Args:
        landlock: whether Landlock keeps the program from others, and not namespaces.
        exposed: whether files of the host's are mounted so that they could be changed.
        shared_user: whether the program has the host's own user.
        builds: whether it may be a build, which sets modes and times of files.
        polled: whether its memory is counted by looking, and not by a control group.
        machine: as uname(2) calls it; this one, if none is given.

    Raises:
        LookupError: for a machine whose numbers are not known here.
    """
    machine = machine or os.uname().machine
    if machine not in MACHINES:
        raise LookupError(f"no filter for {machine}: there is one for {', '.join(MACHINES)}")
    column = [*MACHINES].index(machine)
    checks = _find_checks(
        landlock=landlock, exposed=exposed, shared_user=shared_user, builds=builds, polled=polled
    )
    calls = {
        number: check
        for name, check in checks.items()
        if (number := NUMBERS[name][column]) is not None
    }
    return assemble(MACHINES[machine], calls, FIRST_NEW_NUMBER)


def compile_ahead(*, exposed: bool, shared_user: bool, polled: bool) -> None:
    """Compile the filters of this machine in advance, for processes that are forked later."""
    if os.uname().machine in MACHINES:  # otherwise `compile_filter` says so to whom it concerns
        compile_filter(polled=polled)
        for builds in (False, True):
            compile_filter(
                landlock=True, exposed=exposed, shared_user=shared_user, builds=builds,
                polled=polled,
            )  # fmt: skip


def _find_checks(
    *, landlock: bool, exposed: bool, shared_user: bool, builds: bool, polled: bool
) -> dict[str, Check]:
    """Return the check of each known system call."""
    options = PRCTL_OPTIONS if landlock else PRCTL_OPTIONS | PRCTL_OPTIONS_OF_SETPRIV
    if not polled:
        options = options | PRCTL_OPTIONS_OF_HUGE_PAGES
    checks: dict[str, Check] = {
        **dict.fromkeys((*UNCHECKED, *CHECKED), NO_CHECK),
        **dict.fromkeys(ABSENT, refuse(NOT_THERE)),
        **dict.fromkeys(ATTRIBUTE_CHANGES, refuse(NO_ATTRIBUTES)),
        **dict.fromkeys(PAGE_MOVES, refuse(UNSUITABLE)),
        **CHECKS,
        "prctl": one_of(0, *options.values()),
    }
    if polled:
        checks["mmap"] = SMALL_SHARED_MEMORY
    if not landlock:
        return checks | dict.fromkeys(SETPRIV_CALLS, NO_CHECK)
    checks |= OWN_PROCESS_CHECKS
    if exposed and not builds:
        checks |= TIMES_OF_OPEN_FILES
    if exposed and shared_user:
        checks |= PRIVATE_MODES if builds else NO_MODES
    return checks


Numbers: TypeAlias = Mapping[str, tuple[int | None, int | None]]
"""System calls with their numbers on x86-64 and on AArch64 (None where there is none)."""

FILES: Numbers = {
    "read": (0, 63), "write": (1, 64), "pread64": (17, 67), "pwrite64": (18, 68),
    "readv": (19, 65), "writev": (20, 66), "preadv": (295, 69), "pwritev": (296, 70),
    "preadv2": (327, 286), "pwritev2": (328, 287), "close": (3, 57), "lseek": (8, 62),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "stat": (4, None),
    "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "statfs": (137, 43), "fstatfs": (138, 44), "getdents": (78, None), "getdents64": (217, 61),
    "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "readlink": (89, None),
    "readlinkat": (267, 78), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    "rmdir": (84, None), "link": (86, None), "linkat": (265, 37), "unlink": (87, None),
    "unlinkat": (263, 35), "symlink": (88, None), "symlinkat": (266, 36), "truncate": (76, 45),
    "ftruncate": (77, 46), "fallocate": (285, 47),
    "readahead": (187, 213), "fsync": (74, 82), "fdatasync": (75, 83),
    "sync_file_range": (277, 84), "copy_file_range": (326, 285), "umask": (95, 166),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59),
    "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11),
    "llistxattr": (195, 12), "flistxattr": (196, 13),
}  # fmt: skip

WAITING: Numbers = {
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
    "epoll_wait": (232, None), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441),
    "eventfd": (284, None), "eventfd2": (290, 19), "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87), "signalfd": (282, None),
    "signalfd4": (289, 74), "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "membarrier": (324, 283), "nanosleep": (35, 101), "pause": (34, None), "alarm": (37, None),
    "getitimer": (36, 102), "setitimer": (38, 103), "timer_settime": (223, 110),
    "timer_gettime": (224, 108), "timer_getoverrun": (225, 109), "timer_delete": (226, 111),
    "time": (201, None), "gettimeofday": (96, 169), "restart_syscall": (219, 128),
}  # fmt: skip

MEMORY: Numbers = {
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226),
    "mremap": (25, 216), "madvise": (28, 233), "mincore": (27, 232), "msync": (26, 227),
    "mlock": (149, 228), "mlock2": (325, 284), "munlock": (150, 229), "pkey_alloc": (330, 289),
    "pkey_free": (331, 290), "pkey_mprotect": (329, 288), "map_shadow_stack": (453, 453),
    "mseal": (462, 462),
}  # fmt: skip

PROCESSES: Numbers = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "exit": (60, 93), "exit_group": (231, 94), "wait4": (61, 260), "waitid": (247, 95),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178),
    "getpgid": (121, 155), "getpgrp": (111, None), "setpgid": (109, 154), "getsid": (124, 156),
    "set_tid_address": (218, 96), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148), "getresgid": (120, 150),
    "getgroups": (115, 158), "capget": (125, 90), "getrlimit": (97, 163), "setrlimit": (160, 164),
    "getrusage": (98, 165), "times": (100, 153), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "sched_getscheduler": (145, 120),
    "sched_getparam": (143, 121), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "getcpu": (309, 168), "arch_prctl": (158, None),
    "uname": (63, 160), "sysinfo": (99, 179), "getrandom": (318, 278),
}  # fmt: skip

SOCKET_PAIRS: Numbers = {
    "recvfrom": (45, 207), "recvmsg": (47, 212), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209),
}  # fmt: skip
"""None of these creates, binds or connects a socket, or sends a descriptor."""

SETPRIV_CALLS: Numbers = {
    "setresuid": (117, 147), "setresgid": (119, 149), "setgroups": (116, 159), "capset": (126, 91),
}  # fmt: skip
"""Calls of setpriv behind bubblewrap's filter; they give an unprivileged program nothing."""

CHECKED: Numbers = {
    "open": (2, None), "openat": (257, 56), "creat": (85, None), "mkdir": (83, None),
    "mkdirat": (258, 34), "mknod": (133, None), "mknodat": (259, 33), "chmod": (90, None),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88), "fcntl": (72, 25),
    "close_range": (436, 436), "ioctl": (16, 29), "socketpair": (53, 199), "sendto": (44, 206),
    "setsockopt": (54, 208), "clone": (56, 220), "prctl": (157, 167), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "timer_create": (222, 107),
    "getpriority": (140, 141), "setpriority": (141, 140), "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "fadvise64": (221, 223),
}  # fmt: skip
"""The calls whose arguments matter: see `CHECKS`."""

ABSENT: Numbers = {
    "clone3": (435, 435), "openat2": (437, 437), "flock": (73, 32), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446), "get_mempolicy": (239, 236), "set_mempolicy": (238, 237),
    "mbind": (237, 235), "set_mempolicy_home_node": (450, 450), "memfd_secret": (447, 447),
}  # fmt: skip
"""The calls that fail as on a kernel without them, so that libraries do without."""

ATTRIBUTE_CHANGES: Numbers = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip
"""The calls that fail as on a file system without extended attributes."""

PAGE_MOVES: Numbers = {"sendfile": (40, 71), "splice": (275, 76)}
"""The calls that fail as between files that they do not suit, so that libraries read and write.

With them a byte that waits in a pipe or a socket keeps all the memory that it lies in, which may be
some MB of a file, and nothing shows that.
"""

UNCHECKED: Numbers = {**FILES, **WAITING, **MEMORY, **PROCESSES, **SOCKET_PAIRS}
"""The calls that are allowed with any arguments."""

NUMBERS: Numbers = {
    **UNCHECKED, **SETPRIV_CALLS, **CHECKED, **ABSENT, **ATTRIBUTE_CHANGES, **PAGE_MOVES,
}  # fmt: skip

FIRST_NEW_NUMBER = 449  # from here on calls are new to some of the kernels in use


Instruction: TypeAlias = tuple[int, int, int, int]
"""An operation, the numbers of instructions to skip if true and if false, and a value."""

Check: TypeAlias = tuple[Instruction, ...]
NO_CHECK: Check = ()

LOAD, EQUAL, AT_LEAST, ANY_BIT, JUMP, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x05, 0x54, 0x06
NUMBER_OFFSET, ARCHITECTURE_OFFSET, ARGUMENTS_OFFSET, ARGUMENT_BYTES = 0, 4, 16, 8
ALLOW, ERROR = 0x7FFF0000, 0x00050000  # the latter with the number of an error
EVERY_BIT = 0xFFFFFFFF
NOT_PERMITTED = ERROR | errno.EPERM
NOT_THERE = ERROR | errno.ENOSYS
NO_ATTRIBUTES = ERROR | errno.EOPNOTSUPP
UNSUITABLE = ERROR | errno.EINVAL


def refuse(action: int = NOT_PERMITTED) -> Check:
    """Refuse a call with any arguments."""
    return ((RETURN, 0, 0, action),)


def one_of(
    argument: int, *values: int, bits: int = EVERY_BIT, action: int = NOT_PERMITTED
) -> Check:
    """Refuse a call unless these bits of an argument equal those of an allowed value."""
    count = len(values)
    return (
        (LOAD, 0, 0, _offset(argument)),
        *([(AND, 0, 0, bits)] if bits != EVERY_BIT else []),
        *((EQUAL, count - index, 0, value) for index, value in enumerate(values)),
        *refuse(action),
    )


def no_bits(argument: int, mask: int) -> Check:
    """Refuse a call if an argument has any of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 0, 1, mask), *refuse())


def if_bits(argument: int, mask: int, check: Check) -> Check:
    """Apply further checks if an argument has any of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 0, len(check), mask), *check)


def needs_bits(argument: int, mask: int) -> Check:
    """Refuse a call if an argument has none of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 1, 0, mask), *refuse())


def at_most(argument: int, most: int, *, or_at_least: int, or_bit: int) -> Check:
    """Refuse a call where an argument lies between two numbers, and has none of these bits."""
    return (
        (LOAD, 0, 0, _offset(argument)),
        (ANY_BIT, 3, 0, or_bit),
        (AT_LEAST, 0, 2, most + 1),
        (AT_LEAST, 1, 0, or_at_least),
        *refuse(),
    )


def length_at_most(argument: int, most: int) -> Check:
    """Refuse a call if a length, which has 64 bits, is larger than this."""
    low, high = _offset(argument), _offset(argument, high=True)
    return (
        (LOAD, 0, 0, high), (EQUAL, 1, 0, 0), *refuse(),
        (LOAD, 0, 0, low), (AT_LEAST, 0, 1, most + 1), *refuse(),
    )  # fmt: skip


def null(argument: int) -> Check:
    """Refuse a call if a pointer is not null."""
    low, high = _offset(argument), _offset(argument, high=True)
    return (
        (LOAD, 0, 0, low), (EQUAL, 1, 0, 0), *refuse(),
        (LOAD, 0, 0, high), (EQUAL, 1, 0, 0), *refuse(),
    )  # fmt: skip


def _offset(argument: int, *, high: bool = False) -> int:
    """Return the offset of the lower or higher 32 bits of an argument in `struct seccomp_data`."""
    second = high is (sys.byteorder == "little")
    return ARGUMENTS_OFFSET + argument * ARGUMENT_BYTES + (4 if second else 0)


def assemble(architecture: int, calls: Mapping[int, Check], first_new: int) -> bytes:
    """Return a filter as the bytes of its instructions.

    The number is searched for by halves: the kernel runs the filter once for each call that
    there is, when a program starts, and remembers which are allowed whatever their arguments.

    Args:
        architecture: of the machine; calls by another's numbers are refused.
        calls: what is allowed, by number, with its check; all others are not permitted.
        first_new: from this number on, calls that are not allowed are not there: libraries
            that try what is new then take what is older.
    """
    allowed = {number: (*check, (RETURN, 0, 0, ALLOW)) for number, check in calls.items()}
    ranges: list[tuple[int, Check]] = []
    for number in sorted({0, *allowed, *(number + 1 for number in allowed), first_new}):
        unlisted = refuse(NOT_THERE if number >= first_new else NOT_PERMITTED)
        check = allowed.get(number, unlisted)
        if not ranges or check != ranges[-1][1]:
            ranges.append((number, check))
    instructions = [
        (LOAD, 0, 0, ARCHITECTURE_OFFSET), (EQUAL, 1, 0, architecture), *refuse(),
        (LOAD, 0, 0, NUMBER_OFFSET), *_search(ranges),
    ]  # fmt: skip
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def _search(ranges: Sequence[tuple[int, Check]]) -> Check:
    """Go on with the last range that begins at or below the number."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return ((AT_LEAST, 0, 1, ranges[middle][0]), (JUMP, 0, 0, len(below)), *below, *above)


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
    "PR_GET_TID_ADDRESS": 40, "PR_GET_THP_DISABLE": 42, "PR_SVE_GET_VL": 51,
    "PR_GET_SPECULATION_CTRL": 52, "PR_PAC_RESET_KEYS": 54,
    "PR_SET_TAGGED_ADDR_CTRL": 55, "PR_GET_TAGGED_ADDR_CTRL": 56, "PR_SME_GET_VL": 64,
    "PR_GET_AUXV": 0x41555856, "PR_SET_VMA": 0x53564D41,
}  # fmt: skip
"""Of prctl(2): what a process tells of itself, its names, and its own memory."""

PRCTL_OPTIONS_OF_SETPRIV = {"PR_SET_KEEPCAPS": 8, "PR_CAPBSET_DROP": 24, "PR_CAP_AMBIENT": 47}
PRCTL_OPTIONS_OF_HUGE_PAGES = {"PR_SET_THP_DISABLE": 41}
"""Refused where memory is counted by looking: there huge pages are off. Of one that is partly
unmapped the kernel keeps all, and nothing shows that."""

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

MAP_SHARED, MAP_ANONYMOUS, MAP_HUGETLB = 0x1, 0x20, 0x40000
MAX_SHARED_MEMORY_BYTES = 4 << 20
SMALL_SHARED_MEMORY = if_bits(
    3,
    MAP_ANONYMOUS,
    if_bits(3, MAP_SHARED, no_bits(3, MAP_HUGETLB) + length_at_most(1, MAX_SHARED_MEMORY_BYTES)),
)
"""The check of mmap(2) where memory is counted by looking. A piece of shared memory keeps all its
pages as long as one of them is mapped, and nothing tells an ordinary user how many those are. So it
may be this large at most, whatever becomes of its mappings, and counts as if it were."""

OWN_CLOCK = at_most(0, LAST_CLOCK, or_at_least=FIRST_OWN_CLOCK, or_bit=THREAD_CLOCK)
OWN_PROCESS_CHECKS: Mapping[str, Check] = {
    "clock_gettime": OWN_CLOCK, "clock_getres": OWN_CLOCK, "clock_nanosleep": OWN_CLOCK,
    "timer_create": OWN_CLOCK, "getpriority": one_of(1, 0),
    "sched_setaffinity": one_of(0, 0), "sched_setscheduler": one_of(0, 0),
    "sched_setparam": one_of(0, 0),
}  # fmt: skip
"""The checks for programs whose process namespace does not hide other processes."""

TIMES_OF_OPEN_FILES: Mapping[str, Check] = {
    "utime": refuse(), "utimes": refuse(), "futimesat": refuse(),
    "utimensat": null(1) + null(2),
}  # fmt: skip
"""Where files of the host's are within reach by their paths, and not mounted read-only. A program
can open no more of them than Landlock lets it, and of what it has open the time can only be now."""

NO_MODES: Mapping[str, Check] = {
    "chmod": refuse(), "fchmod": refuse(), "fchmodat": refuse(), "fchmodat2": refuse(),
}  # fmt: skip
"""The checks for files that belong to the program's own user, too."""

PRIVATE_MODES: Mapping[str, Check] = {
    "chmod": _allow_private_mode(1), "fchmod": _allow_private_mode(1),
    "fchmodat": _allow_private_mode(2), "fchmodat2": _allow_private_mode(2),
}  # fmt: skip
"""The checks for builds there, in which linkers make their output executable by its path."""
