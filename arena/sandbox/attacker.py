"""A program that attacks its host, and harms nothing: run by `examine`, alone, as a bot would be.

It says in JSON lines what it has tried, and what it got: `python -I attacker.py WHAT KNOWN`.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"x86_64": (101, 438, 64, 66), "aarch64": (117, 438, 190, 191)}
"""Of ptrace, pidfd_getfd, semget and semctl."""

SEIZE = 0x4206  # the request of ptrace(2) that does not even stop the other
SET_LEASE = 1024  # of fcntl(2)
REMOVE = 0  # of semctl(2)
SYSTEM_FILE = "/bin/sh"  # which programs in every sandbox can read
SOME_MB, MEMBERS = 48, 4
MB = 1 << 20
Attempt = Callable[[Any], object]


def called(number: int, *values: int) -> int:
    """Make a system call by its number; raise OSError."""
    result: int = LIBC.syscall(number, *values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read(path: str) -> str:
    """Read a file of the host's."""
    with open(path, encoding="utf-8") as file:
        file.read()
    return "it was read"


def wrote(folder: str) -> str:
    """Make a file there, and remove it."""
    path = os.path.join(folder, "attacked")
    with open(path, "x", encoding="utf-8"):
        os.unlink(path)
    return "a file was made"


def signalled(process: int) -> str:
    """Send a signal that is ignored by whoever does not look at it."""
    os.kill(process, signal.SIGURG)
    return "one was sent"


def traced(process: int) -> str:
    """Begin to trace a process, until this one ends."""
    trace, *_ = NUMBERS[os.uname().machine]
    called(trace, SEIZE, process, 0, 0)
    return "a process was traced"


def taken(process: int) -> str:
    """Take a descriptor of another process, which is its standard error."""
    _, take, *_ = NUMBERS[os.uname().machine]
    called(take, os.pidfd_open(process), 2, 0)
    return "one was taken"


def slowed(process: int) -> str:
    """Give another process less of the processor."""
    os.setpriority(os.PRIO_PROCESS, process, os.getpriority(os.PRIO_PROCESS, process) + 1)
    return "one was changed"


def changed(path: str) -> str:
    """Give a file of the host's other modes, and its own again, and another time."""
    mode, done = os.stat(path).st_mode & 0o7777, ""
    for change in (partial(os.chmod, path, 0o700), partial(os.chmod, path, mode),
                   partial(os.chmod, path, 0o600), partial(os.chmod, path, mode),
                   partial(os.utime, path)):  # fmt: skip
        try:
            change()
        except OSError as problem:
            refused = problem
        else:
            done = "one was changed"
    if not done:
        raise refused
    return done


def leased(_: object) -> str:
    """Take a lease on a file of its own, by which others wait who open it."""
    with open("leased", "w", encoding="utf-8"):
        pass
    try:
        with open("leased", "rb") as file:
            fcntl.fcntl(file, SET_LEASE, fcntl.F_RDLCK)
    finally:
        os.unlink("leased")
    return "others would have waited"


def locked(_: object) -> str:
    """Lock a file of the system for itself alone, so that others would wait for it."""
    with open(SYSTEM_FILE, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "others would have waited"


def made_semaphores(_: object) -> str:
    """Make semaphores that outlive this process, and remove them."""
    *_, make, control = NUMBERS[os.uname().machine]
    called(control, called(make, 0, 1, 0o600), 0, REMOVE)
    return "some were made"


def timed(process: int) -> str:
    """Ask how long another process has run."""
    return f"{time.clock_gettime(~process << 3 | 2):.2f} s of another process"


def told(path: str) -> str:
    """Look for a socket among those of this network."""
    with open("/proc/self/net/unix", encoding="utf-8") as file:
        if path not in file.read():
            raise FileNotFoundError("there are others")
    return "a path was told"


def became_leader(_: object) -> str:
    """Lead a session, which has its own share of the processor."""
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        if status:
            raise PermissionError("there is one session")
        return "there may be any number"
    try:
        os.setsid()
    except OSError:
        os._exit(1)
    os._exit(0)


def sent(path: str) -> str:
    """Send a datagram to a socket that has a path, from one of a pair."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with here, there:
        here.sendto(b"attacked", path)
    return "one was sent"


def connected(family: int, address: Any) -> str:
    """Connect to somebody who listens."""
    with socket.socket(family) as out:
        out.settimeout(5)
        out.connect(address)
    return "connected"


def unshared(_: object) -> str:
    """Look whether a program that is set-uid would give new rights."""
    with open("/proc/self/status", encoding="utf-8") as file:
        if "NoNewPrivs:\t1" in file.read():
            raise PermissionError("no_new_privs is set")
    return "set-uid programs work"


ATTEMPTS: Mapping[str, tuple[str, Attempt]] = {
    "the host's files": ("secret", read),
    "other bots' folders": ("other", read),
    "other processes": ("command", read),
    "their environment": ("environment", read),
    "signals": ("process", signalled),
    "tracing": ("process", traced),
    "descriptors of others": ("process", taken),
    "priorities of others": ("process", slowed),
    "writing outside": ("folder", wrote),
    "modes and times of files": ("secret", changed),
    "leases on files": ("folder", leased),
    "exclusive locks of system files": ("folder", locked),
    "semaphores and queues": ("folder", made_semaphores),
    "processor time of others": ("process", timed),
    "sessions": ("folder", became_leader),
    "sockets of the loopback": ("port", lambda at: connected(socket.AF_INET, ("127.0.0.1", at))),
    "abstract Unix sockets": ("abstract", lambda at: connected(socket.AF_UNIX, f"\0{at}")),
    "path-named Unix sockets": ("socket", lambda at: connected(socket.AF_UNIX, at)),
    "path-named datagram sockets": ("datagrams", sent),
    "the host's sockets in /proc": ("socket", told),
    "new privileges": ("folder", unshared),
}
"""What is protected: what the attacker knows of it, and how it tries."""


def reach(known: Mapping[str, Any]) -> None:
    """Try all of it, and say what came of each."""
    for protection, (name, attempt) in ATTEMPTS.items():
        try:
            held, detail = False, attempt(known[name])
        except OSError as problem:
            held, detail = True, problem.strerror or str(problem)
        say(protection=protection, held=held, detail=detail)


def memory(known: Mapping[str, Any]) -> None:
    """Fill more memory than is allowed, each process less than that."""
    for _ in range(MEMBERS - 1):
        if os.fork() == 0:
            held = b"x" * (SOME_MB * MB)
            time.sleep(known["seconds"])
            os._exit(len(held) and 0)
    held = b"x" * (SOME_MB * MB)
    time.sleep(known["seconds"])
    say(got=f"filled {MEMBERS * len(held) // MB} MB")


def processes(known: Mapping[str, Any]) -> None:
    """Start more processes than are allowed."""
    for _ in range(known["processes"]):
        if os.fork() == 0:
            time.sleep(known["seconds"])
            os._exit(0)
    time.sleep(known["seconds"])
    say(got=f"started {known['processes']} processes")


def stay(known: Mapping[str, Any]) -> None:
    """Leave a process behind, in a session of its own if it can, which holds none of the pipes."""
    if os.fork() == 0:
        with suppress(PermissionError):
            os.setsid()
        if os.fork() == 0:
            os.closerange(0, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
            time.sleep(known["lingers"])
        os._exit(0)
    os.wait()
    say(got="left a process behind")


def say(**what: object) -> None:
    """Tell whoever has started this."""
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


KINDS = {"reach": reach, "memory": memory, "processes": processes, "stay": stay}

if __name__ == "__main__":
    KINDS[sys.argv[1]](json.loads(sys.argv[2]))
