"""The filter of system calls, on both machines, run by the rules of the kernel's classic BPF."""

from __future__ import annotations

import errno
import platform
import re
import shutil
import struct
import subprocess
from itertools import product

import pytest

from arena.sandbox.kernel import seccomp
from arena.sandbox.kernel.seccomp import MACHINES, MAX_SHARED_MEMORY_BYTES, compile_filter

ALLOWED, FAILS = 0x7FFF0000, 0x00050000
EXPOSED = {"landlock": True, "exposed": True}
FILTERS: dict[str, dict[str, bool]] = {
    "namespaces": {}, "landlock": {"landlock": True}, "exposed": EXPOSED,
    "shared": {**EXPOSED, "shared_user": True},
    "build": {**EXPOSED, "shared_user": True, "builds": True},
    "polled": {"polled": True},
}  # fmt: skip
EVERY_FILTER = [*product(MACHINES, FILTERS)]
HEADERS = {  # what gives the kernel's own tables of numbers
    "x86_64": ["-include", "asm/unistd_64.h"],
    "aarch64": ["-D__ARCH_WANT_RENAMEAT", "-D__ARCH_WANT_SET_GET_RLIMIT", "-D__ARCH_WANT_NEW_STAT",
                "-D__ARCH_WANT_MEMFD_SECRET", "-D__ARCH_WANT_SYS_CLONE3", "-D__BITS_PER_LONG=64",
                "-include", "asm-generic/unistd.h"],
}  # fmt: skip
THREAD = 0x3D0F00  # what glibc sets for a thread
PERMITTED, FORBIDDEN, ABSENT = 0, errno.EPERM, errno.ENOSYS

CASES = [  # a call, its arguments, and the error that it gets in both tiers
    ("read", (), PERMITTED),
    ("execve", (), PERMITTED),
    ("clone", (0x1200011,), PERMITTED),  # fork
    ("clone", (0x4111,), PERMITTED),  # posix_spawn
    ("clone", (THREAD,), PERMITTED),
    ("clone", (THREAD & ~0x400,), FORBIDDEN),  # a thread with descriptors of its own
    ("clone", (0x10000000 | 17,), FORBIDDEN),  # a namespace of users
    ("clone", (0x8000 | 17,), FORBIDDEN),  # a child of its parent
    ("clone", ((1 << 40) | 17,), PERMITTED),  # clone(2) has 32 bits of flags
    ("clone3", (), ABSENT),
    ("openat", (0, 0, 0, 0o4755), PERMITTED),  # which makes nothing, so the mode is any
    ("openat", (0, 0, 0o100, 0o644), PERMITTED),
    ("openat", (0, 0, 0o100, 0o4755), FORBIDDEN),
    ("openat", (0, 0, 0o20200000, 0o2755), FORBIDDEN),
    ("mkdirat", (0, 0, 0o777), PERMITTED),
    ("mkdirat", (0, 0, 0o2777), FORBIDDEN),
    ("mknodat", (0, 0, 0o010644), PERMITTED),  # a pipe with a name
    ("mknodat", (0, 0, 0o020644), FORBIDDEN),  # a device
    ("mknodat", (0, 0, 0o140644), FORBIDDEN),  # a socket
    ("mknodat", (0, 0, 0o104755), FORBIDDEN),
    ("fcntl", (0, 3), PERMITTED),
    ("fcntl", (0, 7), PERMITTED),
    ("fcntl", (0, 8), FORBIDDEN),  # F_SETOWN
    ("fcntl", (0, 10), FORBIDDEN),  # F_SETSIG
    ("fcntl", (0, 37), FORBIDDEN),  # F_OFD_SETLK
    ("fcntl", (0, 1024), FORBIDDEN),  # F_SETLEASE
    ("fcntl", (0, 1026), FORBIDDEN),  # F_NOTIFY
    ("flock", (), ABSENT),
    ("fadvise64", (0, 0, 0, 2), PERMITTED),
    ("fadvise64", (0, 0, 0, 4), FORBIDDEN),  # POSIX_FADV_DONTNEED
    ("sync", (), FORBIDDEN),
    ("socket", (), FORBIDDEN),
    ("bind", (), FORBIDDEN),
    ("connect", (), FORBIDDEN),
    ("sendmsg", (), FORBIDDEN),
    ("socketpair", (1, 1), PERMITTED),
    ("socketpair", (1, 5 | 0o2004000), PERMITTED),
    ("socketpair", (1, 2), FORBIDDEN),  # datagrams
    ("socketpair", (1, 3), FORBIDDEN),  # which the kernel takes for datagrams
    ("socketpair", (16, 1), FORBIDDEN),
    ("sendto", (0, 0, 0, 0, 0), PERMITTED),
    ("sendto", (0, 0, 0, 0, 1 << 32), FORBIDDEN),
    ("sendto", (0, 0, 0, 0, 1), FORBIDDEN),
    ("ioctl", (0, 0x5401), PERMITTED),
    ("ioctl", (0, 0x5412), errno.ENOTTY),  # TIOCSTI
    ("ioctl", (0, 0x40086602), errno.ENOTTY),  # FS_IOC_SETFLAGS
    ("prctl", (15,), PERMITTED),
    ("prctl", (4,), FORBIDDEN),  # PR_SET_DUMPABLE
    ("prctl", (22,), FORBIDDEN),  # PR_SET_SECCOMP
    ("prctl", (35,), FORBIDDEN),  # PR_SET_MM
    ("prctl", (36,), FORBIDDEN),  # PR_SET_CHILD_SUBREAPER
    ("close_range", (3, 9, 0), PERMITTED),
    ("close_range", (3, 9, 4), PERMITTED),
    ("close_range", (3, 9, 2), FORBIDDEN),  # with a table of its own
    ("setsid", (), FORBIDDEN),
    ("setpgid", (), PERMITTED),
    ("unshare", (), FORBIDDEN),
    ("prlimit64", (0,), PERMITTED),
    ("prlimit64", (7,), FORBIDDEN),
    ("setpriority", (1, 0), FORBIDDEN),  # of a group
    ("fsetxattr", (), errno.EOPNOTSUPP),
    ("splice", (), errno.EINVAL),
    ("sendfile", (), errno.EINVAL),
    ("tee", (), FORBIDDEN),
    ("vmsplice", (), FORBIDDEN),
    ("copy_file_range", (), PERMITTED),
    ("semctl", (), FORBIDDEN),
    ("mq_unlink", (), FORBIDDEN),
    ("memfd_create", (), FORBIDDEN),
    ("io_uring_setup", (), ABSENT),
    ("cachestat", (), ABSENT),
]
MODES = {"shared": set[int](), "build": {0o700, 0o100700}}


def headers(machine: str) -> dict[str, int]:
    """Return the numbers of system calls by the kernel's headers that are installed."""
    compiler = shutil.which("cc")
    assert compiler, "the numbers are compared with those of the C library's headers"
    words = [compiler, "-E", "-dM", *HEADERS[machine], "-x", "c", "/dev/null"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    defined: dict[str, str] = dict(re.findall(r"#define (__NR\w+) (\w+)", said))
    values = {name: defined.get(value, value) for name, value in defined.items()}
    return {
        name.removeprefix("__NR_"): int(value)
        for name, value in values.items()
        if name.startswith("__NR_") and value.isdigit()
    }


def answer(filtered: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> int:
    """Run a filter on a call; return the number of the error, 0 where it is allowed."""
    given = [argument & (1 << 64) - 1 for argument in arguments]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *given, *[0] * (6 - len(given)))
    program = [*struct.iter_unpack("=HBBI", filtered)]
    value = at = 0
    while True:
        operation, holds, fails, constant = program[at]
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("<I", data, constant)
            case 0x54:
                value &= constant
            case 0x05:
                at += constant
            case 0x15 | 0x35 | 0x45:
                held = {0x15: value == constant, 0x35: value >= constant, 0x45: value & constant}
                at += holds if held[operation] else fails
            case _:
                assert operation == 0x06, operation
                return 0 if constant == ALLOWED else constant - FAILS


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    """As far as the headers know the calls; no call is missing a number that it has."""
    column, known = [*MACHINES].index(machine), headers(machine)
    ours = {name: pair[column] for name, pair in seccomp.NUMBERS.items()}
    newer = {name for name, number in ours.items() if number and number >= max(known.values())}
    assert len(known) > 290
    assert {name: known.get(name) for name in ours if name not in newer} == {
        name: number for name, number in ours.items() if name not in newer
    }


@pytest.mark.parametrize(("machine", "tier"), EVERY_FILTER)
def test_a_call_is_allowed_by_what_it_would_do(machine: str, tier: str) -> None:
    """Each case gets the same answer on both machines and in every tier."""
    numbers, filtered = headers(machine), compile_filter(machine=machine, **FILTERS[tier])
    known = {name: numbers[name] for name, _, _ in CASES if name in numbers} | {"cachestat": 451}
    got = [(name, arguments, answer(filtered, MACHINES[machine], known[name], arguments))
           for name, arguments, _ in CASES]  # fmt: skip
    assert got == CASES


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_another_table_are_refused(machine: str) -> None:
    """Those of 32 bits, of x32, and what no table has."""
    filtered, own = compile_filter(machine=machine), MACHINES[machine]
    assert answer(filtered, 0x40000003, 1, ()) == errno.EPERM
    for number in (1 << 30, (1 << 30) + 1, 0xFFFFFFFF, 999):
        assert answer(filtered, own, number, ()) == errno.ENOSYS


@pytest.mark.parametrize(("machine", "tier"), EVERY_FILTER)
def test_modes_give_nobody_the_rights_of_a_user(machine: str, tier: str) -> None:
    """And where a program has the host's own user, only a build sets a mode, the private one."""
    number, filtered = (
        headers(machine)["fchmodat"],
        compile_filter(machine=machine, **FILTERS[tier]),
    )
    tried = (0, 0o600, 0o644, 0o700, 0o755, 0o100700, 0o100755, 0o1777, 0o2755, 0o4700, 0o6755)
    got = {mode for mode in tried
           if answer(filtered, MACHINES[machine], number, (0, 0, mode)) == 0}  # fmt: skip
    assert got == MODES.get(tier, {mode for mode in tried if not mode & 0o7000})


@pytest.mark.parametrize(("machine", "tier"), EVERY_FILTER)
def test_times_are_set_by_paths_where_they_reach_nothing_else(machine: str, tier: str) -> None:
    """And by builds; anywhere, the time of an open file is set to now."""
    number, filtered = (
        headers(machine)["utimensat"],
        compile_filter(machine=machine, **FILTERS[tier]),
    )
    path, opened, opened_to_any_time = (-100, 0x7F0012340000), (3, 0), (3, 0, 0x7F0012340000)
    refused = errno.EPERM if tier in ("exposed", "shared") else 0
    assert answer(filtered, MACHINES[machine], number, path) == refused
    assert answer(filtered, MACHINES[machine], number, opened_to_any_time) == refused
    assert answer(filtered, MACHINES[machine], number, opened) == 0


SHARED, PRIVATE, HUGE = 0x21, 0x22, 0x40000  # and anonymous


@pytest.mark.parametrize(("machine", "tier"), EVERY_FILTER)
def test_shared_memory_is_small_where_it_is_counted_by_looking(machine: str, tier: str) -> None:
    """It may be as large as it then counts; what is private or a file's is counted by the page."""
    number, filtered = headers(machine)["mmap"], compile_filter(machine=machine, **FILTERS[tier])
    refused = errno.EPERM if tier == "polled" else 0
    for length, flags, expected in (
        (MAX_SHARED_MEMORY_BYTES, SHARED, 0),
        (MAX_SHARED_MEMORY_BYTES + 1, SHARED, refused),
        (1 << 32, SHARED, refused),
        (4096, SHARED | HUGE, refused),  # of which the kernel makes a whole one
        (1 << 40, PRIVATE | HUGE, 0),
        (1 << 40, 0x1, 0),  # of a file
    ):
        assert answer(filtered, MACHINES[machine], number, (0, length, 3, flags)) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_behind_landlock_clocks_are_ones_own(machine: str) -> None:
    """No other process is asked how long it has run; elsewhere it cannot be named."""
    number, own = headers(machine)["clock_gettime"], MACHINES[machine]
    filtered = compile_filter(machine=machine, landlock=True)
    for clock in (0, 1, 7, 11, -1, -2, -6, -8, ~1000 << 3 | 6):  # the last is a thread's
        assert answer(filtered, own, number, (clock & 0xFFFFFFFF,)) == 0
    for clock in (16, ~1000 << 3 | 2, ~1 << 3 | 1, ~9 << 3 | 3):
        assert answer(filtered, own, number, (clock & 0xFFFFFFFF,)) == errno.EPERM
        assert answer(compile_filter(machine=machine), own, number, (clock & 0xFFFFFFFF,)) == 0


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    """Rather than one of another machine's numbers."""
    assert platform.machine() in MACHINES
    with pytest.raises(LookupError, match="no filter for riscv64"):
        compile_filter(machine="riscv64")
