"""The system calls that untrusted programs may make, with their numbers.

Each has two: that of x86-64 and that of AArch64 (None where there is none). They are what
interpreters, compilers and bots were seen to call in thirteen languages, and what their
libraries call elsewhere; the decision about the sandbox says how they were found. What is not
listed here is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Numbers: TypeAlias = Mapping[str, tuple[int | None, int | None]]

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
"""The calls whose arguments matter: see `argument_checks`."""

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
