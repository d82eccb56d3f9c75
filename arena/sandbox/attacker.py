"""A program that attacks its host without harm; `probe_tier` runs it as it runs a bot.

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
CALL_NUMBERS = {"x86_64": (101, 438, 64, 66), "aarch64": (117, 438, 190, 191)}
"""The numbers of ptrace, pidfd_getfd, semget and semctl."""

PTRACE_SEIZE = 0x4206  # the request of ptrace(2) that does not even stop the other
SET_LEASE = 1024  # of fcntl(2)
IPC_REMOVE = 0  # of semctl(2)
SYSTEM_FILE = "/bin/sh"  # which programs in every sandbox can read
MEMORY_MB, MEMORY_PROCESSES = 48, 4
MB = 1 << 20
Attempt = Callable[[Any], object]


def make_system_call(number: int, *values: int) -> int:
    """Make a system call by its number; raise OSError."""
    result: int = LIBC.syscall(number, *values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read_file(path: str) -> str:
    """Read a file of the host."""
    with open(path, encoding="utf-8") as file:
        file.read()
    return "it was read"


def write_file(folder: str) -> str:
    """Create a file in a folder, and remove it."""
    path = os.path.join(folder, "attacked")
    with open(path, "x", encoding="utf-8"):
        os.unlink(path)
    return "a file was created"


def send_signal(process: int) -> str:
    """Send a signal that is ignored by default."""
    os.kill(process, signal.SIGURG)
    return "a signal was sent"


def trace_process(process: int) -> str:
    """Trace a process until this one ends."""
    trace, *_ = CALL_NUMBERS[os.uname().machine]
    make_system_call(trace, PTRACE_SEIZE, process, 0, 0)
    return "a process was traced"


def take_descriptor(process: int) -> str:
    """Take a descriptor of another process, its standard error."""
    _, take, *_ = CALL_NUMBERS[os.uname().machine]
    make_system_call(take, os.pidfd_open(process), 2, 0)
    return "a descriptor was taken"


def lower_priority(process: int) -> str:
    """Lower the priority of another process."""
    os.setpriority(os.PRIO_PROCESS, process, os.getpriority(os.PRIO_PROCESS, process) + 1)
    return "a priority was changed"


def change_file(path: str) -> str:
    """Change and restore the mode of a file of the host, and change its time."""
    mode, done = os.stat(path).st_mode & 0o7777, ""
    for change in (partial(os.chmod, path, 0o700), partial(os.chmod, path, mode),
                   partial(os.chmod, path, 0o600), partial(os.chmod, path, mode),
                   partial(os.utime, path)):  # fmt: skip
        try:
            change()
        except OSError as problem:
            refused = problem
        else:
            done = "a mode or a time was changed"
    if not done:
        raise refused
    return done


def lease_file(_: object) -> str:
    """Take a lease on an own file, which makes others that open it wait."""
    with open("leased", "w", encoding="utf-8"):
        pass
    try:
        with open("leased", "rb") as file:
            fcntl.fcntl(file, SET_LEASE, fcntl.F_RDLCK)
    finally:
        os.unlink("leased")
    return "a lease was taken"


def lock_file(_: object) -> str:
    """Lock a system file exclusively, which makes others wait for it."""
    with open(SYSTEM_FILE, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "a lock was taken"


def create_semaphores(_: object) -> str:
    """Create semaphores that outlive this process, and remove them."""
    *_, make, control = CALL_NUMBERS[os.uname().machine]
    make_system_call(control, make_system_call(make, 0, 1, 0o600), 0, IPC_REMOVE)
    return "a semaphore was created"


def read_cpu_time(process: int) -> str:
    """Read the CPU time of another process."""
    return f"{time.clock_gettime(~process << 3 | 2):.2f} s of another process"


def list_sockets(path: str) -> str:
    """Look for a socket of the host among those of this network."""
    with open("/proc/self/net/unix", encoding="utf-8") as file:
        if path not in file.read():
            raise FileNotFoundError("the path is not listed")
    return "the path is listed"


def start_session(_: object) -> str:
    """Start a session, which gets its own share of the processor."""
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        if status:
            raise PermissionError("no new session is allowed")
        return "a new session was started"
    try:
        os.setsid()
    except OSError:
        os._exit(1)
    os._exit(0)


def send_datagram(path: str) -> str:
    """Send a datagram to a socket that has a path, from one of a pair."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with here, there:
        here.sendto(b"attacked", path)
    return "a datagram was sent"


def connect_socket(family: int, address: Any) -> str:
    """Connect to a listening socket."""
    with socket.socket(family) as out:
        out.settimeout(5)
        out.connect(address)
    return "connected"


def check_privileges(_: object) -> str:
    """Check whether a set-uid program would gain privileges."""
    with open("/proc/self/status", encoding="utf-8") as file:
        if "NoNewPrivs:\t1" in file.read():
            raise PermissionError("no_new_privs is set")
    return "set-uid programs work"


ATTEMPTS: Mapping[str, tuple[str, Attempt]] = {
    "the host's files": ("secret", read_file),
    "other bots' folders": ("other", read_file),
    "other processes": ("command", read_file),
    "environments of other processes": ("environment", read_file),
    "signals": ("process", send_signal),
    "tracing": ("process", trace_process),
    "descriptors of other processes": ("process", take_descriptor),
    "priorities of other processes": ("process", lower_priority),
    "writing outside its folder": ("folder", write_file),
    "modes and times of files": ("secret", change_file),
    "leases on files": ("folder", lease_file),
    "exclusive locks of system files": ("folder", lock_file),
    "semaphores and queues": ("folder", create_semaphores),
    "CPU time of other processes": ("process", read_cpu_time),
    "sessions": ("folder", start_session),
    "loopback sockets": (
        "port",
        lambda at: connect_socket(socket.AF_INET, ("127.0.0.1", at)),
    ),
    "abstract Unix sockets": ("abstract", lambda at: connect_socket(socket.AF_UNIX, f"\0{at}")),
    "path-named Unix sockets": ("socket", lambda at: connect_socket(socket.AF_UNIX, at)),
    "path-named datagram sockets": ("datagrams", send_datagram),
    "the host's sockets in /proc": ("socket", list_sockets),
    "new privileges": ("folder", check_privileges),
}
"""The attempt on each protection: the fact that it uses, and its function."""


def try_attempts(known: Mapping[str, Any]) -> None:
    """Make all attempts, and report the result of each."""
    for protection, (name, attempt) in ATTEMPTS.items():
        try:
            held, detail = False, attempt(known[name])
        except OSError as problem:
            held, detail = True, problem.strerror or str(problem)
        report(protection=protection, held=held, detail=detail)


def fill_memory(known: Mapping[str, Any]) -> None:
    """Fill more memory than is allowed, with processes that each fill less."""
    for _ in range(MEMORY_PROCESSES - 1):
        if os.fork() == 0:
            held = b"x" * (MEMORY_MB * MB)
            time.sleep(known["seconds"])
            os._exit(len(held) and 0)
    held = b"x" * (MEMORY_MB * MB)
    time.sleep(known["seconds"])
    report(got=f"filled {MEMORY_PROCESSES * len(held) // MB} MB")


def start_processes(known: Mapping[str, Any]) -> None:
    """Start more processes than are allowed."""
    for _ in range(known["processes"]):
        if os.fork() == 0:
            time.sleep(known["seconds"])
            os._exit(0)
    time.sleep(known["seconds"])
    report(got=f"started {known['processes']} processes")


def leave_process(known: Mapping[str, Any]) -> None:
    """Leave a process without pipes behind, in its own session if possible."""
    if os.fork() == 0:
        with suppress(PermissionError):
            os.setsid()
        if os.fork() == 0:
            os.closerange(0, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
            time.sleep(known["lingers"])
        os._exit(0)
    os.wait()
    report(got="left a process behind")


def report(**fields: object) -> None:
    """Write a result for the process that started this one."""
    sys.stdout.write(f"{json.dumps(fields)}\n")
    sys.stdout.flush()


ATTACKS = {
    "reach": try_attempts,
    "memory": fill_memory,
    "processes": start_processes,
    "stay": leave_process,
}

if __name__ == "__main__":
    ATTACKS[sys.argv[1]](json.loads(sys.argv[2]))
