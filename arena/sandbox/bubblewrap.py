"""The first tier: the command line of bubblewrap, which makes the namespaces.

As root the mounts are made by root, and the program becomes another user behind them; an
ordinary user gets a namespace of users. Inside, a shell says that the sandbox stands, and
prlimit counts processes where they are its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import PurePosixPath

from arena.sandbox.request import Request

BWRAP, SHELL, PRLIMIT, SETPRIV = "bwrap", "/bin/sh", "/usr/bin/prlimit", "/usr/bin/setpriv"
UP, FILTER, OPTIONS = 3, 4, 5  # descriptors: of the pipe that says it stands, and of two files
SAYS_UP = f'echo up >&{UP}; exec {UP}>&-; exec "$@"'
TO_BE_SEEN = 16  # processes more than a program may have, so that it is seen to have too many
UNTIL_IT_IS_ANOTHER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE")
"""What root needs to go to the program's folder, and to become the program's user."""

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
    *glob("/etc/java-*-openjdk"),
)  # fmt: skip
"""What programs need of a system; a link among these is made again as it is."""


def command(request: Request, user: int | None) -> list[str]:
    """Return the words that start a program contained; `user` is whom it becomes, of root's.

    They can be read inside, and so what names paths of the host is not among them.
    """
    return [BWRAP, "--args", str(OPTIONS), "--", SHELL, "-c", SAYS_UP, "sh",
            PRLIMIT, f"--nproc={request['bounds']['processes'] + TO_BE_SEEN}", "--",
            *(_becoming(user) if user is not None else ()), *request["words"]]  # fmt: skip


def options(request: Request, user: int | None) -> bytes:
    """Return the file with what bubblewrap is to do."""
    words = [*_namespaces(user), *_files(request), "--seccomp", str(FILTER)]
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _namespaces(user: int | None) -> Iterator[str]:
    yield from ("--die-with-parent", "--unshare-ipc", "--unshare-pid", "--unshare-net")
    yield from ("--unshare-uts", "--hostname", "bot", "--unshare-cgroup-try", "--cap-drop", "ALL")
    if user is None:
        yield "--unshare-user"
    else:
        for capability in UNTIL_IT_IS_ANOTHER:
            yield from ("--cap-add", capability)


def _files(request: Request) -> Iterator[str]:
    size, made = str(request["bounds"]["disk"]), {"/", "/tmp"}
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.exists(path):
            yield from _parents(path, made)
            yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--perms", "1777", "--size", size, "--tmpfs", "/tmp")
    yield from ("--perms", "1777", "--size", size, "--tmpfs", "/dev/shm")
    for source, inside in request["reads"]:
        yield from _parents(inside, made)
        yield from ("--ro-bind", source, inside)
    yield from _parents(request["inside"], made)
    yield from ("--bind", request["folder"], request["inside"], "--chdir", request["inside"])
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _parents(path: str, made: set[str]) -> Iterator[str]:
    """Make the folders above a path, open to every user."""
    for parent in reversed(PurePosixPath(path).parents):
        if str(parent) not in made and not str(parent).startswith("/usr"):
            made.add(str(parent))
            yield from ("--perms", "0755", "--dir", str(parent))


def _becoming(user: int) -> Sequence[str]:
    number = str(user)
    return (SETPRIV, "--reuid", number, "--regid", number, "--clear-groups",
            "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--")  # fmt: skip
