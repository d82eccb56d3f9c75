"""Shortages of the machine: processes, descriptors, memory, room on a disk.

No bot is to blame for that, and trying again at once does not help.
"""

from __future__ import annotations

import errno
import os
import resource

from arena.rules import HostError

MAX_WORKERS = 1000
"""Each is a process, with pipes to it, and by default a process may open 1,024 descriptors."""
NO_THREAD_MESSAGES = ("can't start new thread", os.strerror(errno.EAGAIN))
"""The words of Python and of C++ for what a fork says by EAGAIN."""


class MachineError(HostError):
    """Something that the machine cannot do; nobody's bot is to blame for it."""


class ShortageError(MachineError):
    """The machine has no more of something; the text says which limit was met."""


def describe_shortage(problem: BaseException | None) -> str:
    """Return the limit of the machine that caused an exception, or an empty string."""
    if isinstance(problem, MemoryError):
        return _describe_errno(errno.ENOMEM)
    if isinstance(problem, RuntimeError) and str(problem).endswith(NO_THREAD_MESSAGES):
        return _describe_errno(errno.EAGAIN)
    return _describe_errno(problem.errno) if isinstance(problem, OSError) else ""


def _describe_errno(number: int | None) -> str:
    """Name the limit that the system means by this number."""
    said = ""
    match number:
        case errno.EAGAIN:
            said = _describe_process_limit()
        case errno.EMFILE:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            said = f"a process may open at most {most} files (raise the limit with `ulimit -n`)"
        case errno.ENFILE:
            said = "the machine cannot open more files (raise the limit with `sysctl fs.file-max`)"
        case errno.ENOMEM:
            said = "out of memory"
        case errno.ENOSPC | errno.EDQUOT:
            said = "no space left on the disk"
    return said


def _describe_process_limit() -> str:
    """Name the limit on processes: the user's, else one of the system or a control group."""
    most = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if most == resource.RLIM_INFINITY:
        return "no more processes can be started: a control group or the system limits them"
    return f"this user may start at most {most} processes (raise the limit with `ulimit -u`)"
