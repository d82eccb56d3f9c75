"""A filter of system calls: what no bot needs, and what would reach out of its sandbox.

The filter is a program for the kernel's classic BPF (seccomp(2), `struct sock_filter`). It
denies what it lists and lets the rest through; calls by another architecture's numbers are
all denied. Numbers are those of the kernel's tables for x86-64 and for AArch64.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping
from typing import TypeAlias

Line: TypeAlias = tuple[int, int, int, int]
"""An instruction: what, where to jump if it holds and if not, and a number."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS, LONG = 0, 4, 16, 8  # in struct seccomp_data
FIRST_ARGUMENT, SECOND_ARGUMENT = ARGUMENTS, ARGUMENTS + LONG
ALLOW, DENY = 0x7FFF0000, 0x00050000  # the latter with the number of an error
X32 = 0x40000000  # of numbers of x86-64's second table
NAMESPACES = 0x7E020080  # the flags of clone(2) that make new ones
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing for somebody else

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*

DENIED = {  # name: its number on x86-64, on AArch64; None where it is not
    # other processes: reading them, taking their descriptors
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "process_madvise": (440, 440),
    # sockets: those of pairs go by another call
    "socket": (41, 198),
    # another view of files
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "unshare": (272, 97), "setns": (308, 268),
    # what outlives a process, or is counted nowhere
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186),
    "msgsnd": (69, 189), "semget": (64, 190), "semop": (65, 193), "mq_open": (240, 180),
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # the machine
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "syslog": (103, 116),
    "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    # what a user has little of, and the host may need
    "inotify_init": (253, None), "inotify_init1": (294, 26), "io_setup": (206, 0),
}  # fmt: skip
ONLY = {  # name: its numbers, and what arguments must be: its own limits and priority, of nobody's
    "prlimit64": ((302, 261), {0: 0}), "setpriority": ((141, 140), {0: 0, 1: 0}),
    "ioprio_set": ((251, 30), {0: 1, 1: 0}), "sched_setaffinity": ((203, 122), {0: 0}),
    "sched_setscheduler": ((144, 119), {0: 0}), "sched_setparam": ((142, 118), {0: 0}),
    "sched_setattr": ((314, 274), {0: 0}), "migrate_pages": ((256, 238), {0: 0}),
    "move_pages": ((279, 239), {0: 0}),
}  # fmt: skip
OF_FILES = {  # what Landlock allows on every file that has a name
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
}  # fmt: skip
PRIVATE = 0o700  # the one mode that may be set: what a linker sets, where the mask is of this kind
ONLY_MODES = {
    "chmod": ((90, None), {1: PRIVATE}), "fchmod": ((91, 52), {1: PRIVATE}),
    "fchmodat": ((268, 53), {2: PRIVATE}), "fchmodat2": ((452, 452), {2: PRIVATE}),
}  # fmt: skip
ABSENT = {  # as on a kernel without them: libraries then take the older call
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "clone3": (435, 435),  # its flags stand in memory, where no filter can look
}  # fmt: skip
CLONE, IOCTL = (56, 220), (16, 29)


def compiled(*, files: bool = False, modes: bool = False) -> bytes:
    """Return the filter as bytes, eight for each instruction, for this machine.

    Args:
        files: is it to keep files of others from being given another owner or attribute, too?
        modes: or another mode, where they are of the same user?

    Raises:
        LookupError: for a machine whose numbers are not known here.
    """
    machine = os.uname().machine
    column = [*MACHINES].index(machine) if machine in MACHINES else None
    if column is None:
        raise LookupError(f"no filter for {machine}: there is one for {', '.join(MACHINES)}")
    denied, absent = DENY | errno.EPERM, DENY | errno.ENOSYS
    lines = [
        *_refuse_unless(ARCHITECTURE, MACHINES[machine], denied),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32), (RETURN, 0, 0, denied),
    ]  # fmt: skip
    for names, answer in ((DENIED | OF_FILES if files else DENIED, denied), (ABSENT, absent)):
        for pair in names.values():
            if (number := pair[column]) is not None:
                lines += [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]
    for pair, wanted in (ONLY | ONLY_MODES if modes else ONLY).values():
        if (number := pair[column]) is not None:
            lines += _only(number, wanted, denied)
    lines += [
        (EQUAL, 0, 4, CLONE[column]),
        (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NAMESPACES), (RETURN, 0, 0, denied),
        (RETURN, 0, 0, ALLOW),
        (EQUAL, 0, 4, IOCTL[column]),
        (LOAD, 0, 0, SECOND_ARGUMENT),
        *((EQUAL, 1 - at, at, number) for at, number in enumerate(TERMINAL_INPUT)),
        (RETURN, 0, 0, denied),
        (RETURN, 0, 0, ALLOW),
    ]  # fmt: skip
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _only(number: int, wanted: Mapping[int, int], denied: int) -> list[Line]:
    """Allow a call where its arguments are these; the kernel takes them as 32 bits, too."""
    lines: list[Line] = []
    for argument, value in wanted.items():
        lines += _refuse_unless(ARGUMENTS + argument * LONG, value, denied)
    lines.append((RETURN, 0, 0, ALLOW))
    return [(EQUAL, 0, len(lines), number), *lines]


def _refuse_unless(field: int, value: int, answer: int) -> list[Line]:
    return [(LOAD, 0, 0, field), (EQUAL, 1, 0, value), (RETURN, 0, 0, answer)]
