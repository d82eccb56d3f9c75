"""What the machine has no more of: processes, descriptors, memory, room on a disk.

No bot is to blame for that, and trying again at once does not help.
"""

from __future__ import annotations

import errno
import resource

from arena.rules import UserError

MOST_WORKERS = 1000
"""Each is a process, with pipes to it, and by default a process may open 1,024 descriptors."""
NO_THREAD = "can't start new thread"  # Python's words for what a fork says by EAGAIN


class MachineError(UserError):
    """Something that the machine cannot do; nobody's bot is to blame for it."""


class Shortage(MachineError):
    """The machine has no more of something; the text says which limit was met."""


def short_of(problem: BaseException | None) -> str:
    """Return which limit was met, in words; nothing where it was something else."""
    if isinstance(problem, MemoryError):
        return _words(errno.ENOMEM)
    if isinstance(problem, RuntimeError) and NO_THREAD in str(problem):
        return _words(errno.EAGAIN)
    return _words(problem.errno) if isinstance(problem, OSError) else ""


def _words(number: int | None) -> str:
    """Name the limit that the system means by this number."""
    said = ""
    match number:
        case errno.EAGAIN:
            said = _processes()
        case errno.EMFILE:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            said = f"a process can open no more than {most} files (`ulimit -n` says and sets it)"
        case errno.ENFILE:
            said = "this machine can open no more files (`sysctl fs.file-max` says and sets it)"
        case errno.ENOMEM:
            said = "there is no more memory"
        case errno.ENOSPC | errno.EDQUOT:
            said = "there is no more room on the disk"
    return said


def _processes() -> str:
    """Name the limit on processes: the user's, else one of the system or a control group."""
    most = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if most == resource.RLIM_INFINITY:
        return "no more processes can be started: a control group or the system has a limit"
    return f"this user can start no more than {most} processes (`ulimit -u` says and sets it)"
