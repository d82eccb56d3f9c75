"""The users that programs run as: one for each program, if possible.

Programs of one user can reach each other in many ways that no sandbox closes: file leases, the
user's share of watches and processes, ownership of files in /proc. So each program runs as a
user that nobody else is.

- Root takes numbers that no account, and nobody's subordinate range, has.
- An ordinary user has subordinate ids (subuid(5)). The supervisor enters a user namespace
  (user_namespaces(7)) in which it is root, and in which these ids are the users above 0. Only
  `newuidmap` and `newgidmap` may make such a namespace; they are in Debian's package uidmap.
- Without these ids the namespace has one user only, the host's: programs share it.
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import pwd
import shutil
import stat
import subprocess
from contextlib import suppress
from typing import NamedTuple

from arena.sandbox.kernel import libc

FIRST_OF_ROOT = 0x7000_0000  # above all that systemd's "Users, Groups, UIDs and GIDs" assigns
COUNT_OF_ROOT = 1 << 20
EVERY_ID = 1 << 32
MAX_TRIES = 1000  # at users that are taken, one after the other
WITHOUT_WAITING = fcntl.LOCK_EX | fcntl.LOCK_NB
OPEN_LOCKS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
LOCK_FOLDER, LOCK_PREFIX = "/dev/shm", "arena-users-"
SUBORDINATE_FILES = {"newuidmap": "/etc/subuid", "newgidmap": "/etc/subgid"}
FIRST_SUBORDINATE, COUNT_SUBORDINATE = 100_000, 65_536  # as useradd(8) assigns them


class UserRange(NamedTuple):
    """The users that programs may run as."""

    first: int  # as it is called here
    outside: int  # as the host calls it
    number: int  # of users


class SharedUserError(Exception):
    """No other users are available for programs; the message says why, and what to do."""


def find_users_of_root() -> UserRange:
    """Return the users that root, or a container's root, gives to programs.

    Raises:
        SharedUserError: where root is the only user that there is.
    """
    with open("/proc/self/uid_map") as file:
        first, outside, count = max(
            (tuple(map(int, line.split())) for line in file), key=lambda row: row[2]
        )
    if count >= EVERY_ID - 1:
        return UserRange(FIRST_OF_ROOT, FIRST_OF_ROOT, COUNT_OF_ROOT)
    if count < 4:  # noqa: PLR2004  # a quarter of it is none
        raise SharedUserError("this container has no users other than root")
    half = count // 2  # below are a container's accounts, at the end are its dynamic users
    return UserRange(first + half, outside + half, count // 4)


def enter_namespace() -> UserRange:
    """Enter a user namespace in which this process is root, and programs get its other users.

    Raises:
        SharedUserError: there are no others, but the namespace was entered.
        OSError: it could not be entered; nothing has changed.
    """
    try:
        ranges = [_find_subordinate(helper) for helper in SUBORDINATE_FILES]
        problem = None
    except SharedUserError as why:
        ranges, problem = [], why
    before, after = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(after[1])
        _run_namespace_process(before[1], after[0])
    try:
        os.close(before[1])
        if os.read(before[0], 1) != b"1":
            raise OSError(1, "the kernel refuses user namespaces")
        _write_maps(child, ranges)
        namespace = os.open(f"/proc/{child}/ns/user", os.O_RDONLY)
        libc.setns(namespace, libc.NEW_USERS)
        os.close(namespace)
    finally:
        for descriptor in (before[0], *after):
            os.close(descriptor)
        os.waitpid(child, 0)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    if problem:
        raise problem
    return ranges[0]


class UserPool(NamedTuple):
    """The users for programs, each of which one program of this account has at a time."""

    users: UserRange
    locks: int  # the descriptor of the account's file of locks

    def take(self, first: int) -> tuple[int, UserLock]:
        """Return a user that no other program of this account gets until its lock is closed.

        Args:
            first: the number to try first, modulo the number of users.

        Raises:
            OSError: all that were tried are taken.
        """
        for number in range(first, first + MAX_TRIES):
            user = number % self.users.number
            try:
                fcntl.lockf(self.locks, WITHOUT_WAITING, 1, self.users.outside + user)
            except (BlockingIOError, PermissionError):
                continue
            return self.users.first + user, UserLock(self.locks, self.users.outside + user)
        raise OSError(errno.EAGAIN, "all users for programs are in use")


class UserLock(NamedTuple):
    """A lock on a byte of the file of locks, which this process holds until it ends."""

    file: int
    byte: int

    def close(self) -> None:
        """Give the lock up."""
        fcntl.lockf(self.file, fcntl.LOCK_UN, 1, self.byte)


def open_locks(folder: str = LOCK_FOLDER) -> int:
    """Open the file in which this account's hosts lock their programs' users, a byte for each.

    Only the account may open it. Others may have taken its name, but what they have made is theirs
    and is passed over, so that nobody can keep a host from finding or making the file.

    Raises:
        SharedUserError: it cannot be made.
    """
    while True:
        try:
            found = [entry for entry in os.scandir(folder) if entry.name.startswith(LOCK_PREFIX)]
            own = [entry.name for entry in found if _is_own_file(entry)]
            numbers = (f"{LOCK_PREFIX}{number}" for number in itertools.count())
            taken = {entry.name for entry in found}
            name = min(own) if own else next(name for name in numbers if name not in taken)
            making = 0 if own else os.O_CREAT | os.O_EXCL
            with suppress(FileExistsError):  # somebody has made one at the same moment
                return os.open(f"{folder}/{name}", OPEN_LOCKS | making, 0o600)
        except OSError as problem:
            advice = "mount a tmpfs there with mode 1777"
            raise SharedUserError(f"{folder}: {problem.strerror}: {advice}") from None


def _is_own_file(entry: os.DirEntry[str]) -> bool:
    """Return whether this user, and nobody else, has made a file."""
    status = entry.stat(follow_symlinks=False)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid()


def _find_subordinate(helper: str) -> UserRange:
    """Return this user's largest range of subordinate ids."""
    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = str(user)
    advice = _advise(name)
    if not shutil.which(helper):
        raise SharedUserError(f"{helper} is not installed: {advice}")
    path = SUBORDINATE_FILES[helper]
    found = [users for owner, users in _read_subordinate(path) if owner in (name, str(user))]
    if not found:
        raise SharedUserError(f"{name} has no subordinate ids in {path}: {advice}")
    return max(found, key=lambda users: users.number)


def _read_subordinate(path: str) -> list[tuple[str, UserRange]]:
    """Return the ranges of a file of subordinate ids, each with its owner."""
    found = []
    try:
        with open(path) as file:
            for line in file:
                owner, first, count = line.split(":")
                found.append((owner, UserRange(1, int(first), int(count))))
    except (OSError, ValueError):
        pass
    return found


def _advise(name: str) -> str:
    """Return the commands that give a user unused subordinate ids."""
    ranges = [users for path in SUBORDINATE_FILES.values() for _, users in _read_subordinate(path)]
    ends = (users.outside + users.number for users in ranges)
    first = max(FIRST_SUBORDINATE, *ends, 0)
    wanted = f"{first}-{first + COUNT_SUBORDINATE - 1}"
    return f"apt install uidmap; usermod --add-subuids {wanted} --add-subgids {wanted} {name}"


def _run_namespace_process(made: int, until: int) -> None:
    """Run as the first process of a new user namespace, until another one has entered it."""
    try:
        libc.unshare(libc.NEW_USERS)
        os.write(made, b"1")
        os.read(until, 1)
    finally:
        os._exit(0)


def _write_maps(process: int, ranges: list[UserRange]) -> None:
    """Write the maps of users and groups of a process's namespace."""
    own = {"newuidmap": os.getuid(), "newgidmap": os.getgid()}
    for (helper, number), users in zip(own.items(), ranges, strict=False):
        words = [helper, process, 0, number, 1, *users]
        subprocess.run([*map(str, words)], check=True, capture_output=True)
    if not ranges:
        map_single_user(process, 0, (os.getuid(), os.getgid()))


def map_single_user(process: int, inside: int, outside: tuple[int, int]) -> None:
    """Map a single user and group in the namespace of a process; raise OSError.

    Args:
        process: in a new user namespace that has no users yet.
        inside: the number of both in the namespace.
        outside: what they are outside, which is the user and group of who calls this.
    """
    user, group = outside
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inside} {user} 1"),
        ("gid_map", f"{inside} {group} 1"),
    ):
        with open(f"/proc/{process}/{name}", "w") as file:
            file.write(text)
