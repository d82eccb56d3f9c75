"""The namespaces tier: the command line of bubblewrap.

The mounts are made by root, be it that of a user namespace, and the program becomes another
user behind them; where there is no other, one more user namespace hides that it is root's.
Inside, a shell says that the sandbox stands, and prlimit sets the limits that count by user: set
outside, they would hold for all programs of that user together. What the program writes goes to
the file system that its keeper has mounted over its folder; there is nothing else that it could
write to.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import PurePosixPath

from arena.sandbox.files import SHARED_MEMORY, TEMPORARY, WORK
from arena.sandbox.messages import LaunchRequest

BWRAP, SHELL, PRLIMIT, SETPRIV = "bwrap", "/bin/sh", "/usr/bin/prlimit", "/usr/bin/setpriv"
# descriptors of the pipe that says that it stands, and of two files
READY_DESCRIPTOR, FILTER_DESCRIPTOR, OPTIONS_DESCRIPTOR = 3, 4, 5
REPORT_READY = (  # without what bubblewrap and the shell have added to the environment
    f'echo up >&{READY_DESCRIPTOR}; exec {READY_DESCRIPTOR}>&-; unset PWD OLDPWD SHLVL; exec "$@"'
)
SHARED_USER = "1000"  # what the host's user is called, where programs share it
DEVICES = {
    "null": "null", "zero": "full", "full": "full", "random": "random", "urandom": "urandom",
    "tty": "tty",
}  # fmt: skip
"""The devices inside, each with the host's device that it is. `full` reads like `zero`; who maps
`zero` itself gets shared memory of any size."""

DEVICES_BYTES = 1 << 16
EXTRA_PROCESSES = 16  # processes more than a program may have, so that it is seen to have too many
MAX_PENDING_SIGNALS = 256  # and timers: of a user, as far as the kernel counts it alone
SHELL_SIGNAL_BASE = 128  # and a signal's number: how bubblewrap says that one ended the program
HARMLESS_SIGNALS = {
    signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
    signal.SIGURG, signal.SIGWINCH,
}  # fmt: skip
"""The signals that end no program."""

SETUP_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE")
"""The capabilities that root needs to enter the program's folder and to become its user."""

SYSTEM_PATHS = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
    *glob("/etc/java-*-openjdk"),
)  # fmt: skip
"""The folders of the system that programs need; links among them are recreated."""


def build_command(request: LaunchRequest, user: int | None) -> list[str]:
    """Return the command that starts a program in namespaces, as `user` if root starts it.

    Its words can be read inside, so they contain no paths of the host.
    """
    return [BWRAP, "--args", str(OPTIONS_DESCRIPTOR), "--", SHELL, "-c", REPORT_READY, "sh",
            PRLIMIT, f"--nproc={request['bounds']['processes'] + EXTRA_PROCESSES}",
            f"--sigpending={MAX_PENDING_SIGNALS}", "--",
            *(_build_setpriv_command(user) if user is not None else ()),
            *request["words"]]  # fmt: skip


def decode_exit_status(code: int) -> int:
    """Return the program's exit status, or minus the number of the signal that ended it.

    Where bubblewrap's own exit status may be either, it is a signal: the usual ones are much more
    frequent than exit statuses from 129 on, which shells give for the same signals.
    """
    number = code - SHELL_SIGNAL_BASE
    is_signal = 0 < number < signal.SIGRTMIN and number in signal.valid_signals()
    return -number if is_signal and number not in HARMLESS_SIGNALS else code


def build_options(request: LaunchRequest, user: int | None) -> bytes:
    """Return a file with the options of bubblewrap."""
    words = [
        *_list_namespace_options(user),
        *_list_mount_options(request),
        "--seccomp",
        str(FILTER_DESCRIPTOR),
    ]
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _list_namespace_options(user: int | None) -> Iterator[str]:
    yield from ("--die-with-parent", "--unshare-ipc", "--unshare-pid", "--unshare-net")
    yield from ("--unshare-uts", "--hostname", "bot", "--unshare-cgroup-try", "--cap-drop", "ALL")
    if user is None:
        yield from ("--unshare-user", "--uid", SHARED_USER, "--gid", SHARED_USER)
    else:
        for capability in SETUP_CAPABILITIES:
            yield from ("--cap-add", capability)


def _list_mount_options(request: LaunchRequest) -> Iterator[str]:
    made = {"/", "/tmp"}
    for path in SYSTEM_PATHS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.exists(path):
            yield from _list_parent_options(path, made)
            yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--remount-ro", "/proc", *_list_device_options())
    for part, inside in (
        (TEMPORARY, "/tmp"),
        (SHARED_MEMORY, "/dev/shm"),
        (WORK, request["inside"]),
    ):
        yield from _list_parent_options(inside, made)
        yield from ("--bind", os.path.join(request["folder"], part), inside)
    for source, inside in request["reads"]:
        yield from _list_parent_options(inside, made)
        yield from ("--ro-bind", source, inside)
    yield from ("--chdir", request["inside"], "--remount-ro", "/dev", "--remount-ro", "/")


def _list_device_options() -> Iterator[str]:
    """Return options for the devices that programs need, without terminals."""
    yield from ("--perms", "0755", "--size", str(DEVICES_BYTES), "--tmpfs", "/dev")
    for name, device in DEVICES.items():
        yield from ("--dev-bind", f"/dev/{device}", f"/dev/{name}")
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        yield from ("--symlink", f"/proc/self/{target}", f"/dev/{name}")
    yield from ("--dir", "/dev/shm")


def _list_parent_options(path: str, made: set[str]) -> Iterator[str]:
    """Return options for the folders above a path, which every user may enter."""
    for parent in reversed(PurePosixPath(path).parents):
        if str(parent) not in made and not str(parent).startswith("/usr"):
            made.add(str(parent))
            yield from ("--perms", "0755", "--dir", str(parent))


def _build_setpriv_command(user: int) -> Sequence[str]:
    number = str(user)
    return (SETPRIV, "--reuid", number, "--regid", number, "--clear-groups",
            "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--")  # fmt: skip
