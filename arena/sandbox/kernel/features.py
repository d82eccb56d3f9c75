"""The abilities of a supervisor on this machine, detected once, when it starts."""

from __future__ import annotations

import os
from typing import NamedTuple, TypedDict

from arena.sandbox import files
from arena.sandbox.kernel import cgroup, program_users


class Shortcomings(TypedDict):
    """The reasons why protections are weaker than possible, with remedies; "" if they are not."""

    users: str  # why programs share the host's user
    folders: str  # why what programs write is counted by looking
    limits: str  # why memory, processes and processor time are counted by looking


class SupervisorAbilities(NamedTuple):
    """The abilities that keepers use."""

    users: program_users.UserPool | None  # None: programs run as the host's user
    in_namespace: bool  # whether this process has become root in a user namespace
    mounts: bool  # whether a working folder can be a file system of its own
    cgroup: str | None  # the folder in which control groups can be made


def find_abilities(*, own_group: bool = False) -> tuple[SupervisorAbilities, Shortcomings]:
    """Detect the abilities of this process; enter a user namespace unless it is root.

    Args:
        own_group: whether its control group was made for it.
    """
    lacking = Shortcomings(users="", folders="", limits="")
    base = None
    try:
        base = cgroup.prepare_group(own=own_group)
        cgroup.remove_stale_groups(base)
    except (cgroup.NotDelegatedError, OSError) as problem:
        lacking["limits"] = str(problem)
    users, entered = None, False
    try:
        if os.getuid() == 0:
            found = program_users.find_users_of_root()
            users = program_users.UserPool(found, program_users.open_locks())
        elif _works_in_namespace():
            entered = True
            found = program_users.enter_namespace()
            users = program_users.UserPool(found, program_users.open_locks())
        else:
            lacking["users"] = "ordinary users may not create user namespaces here"
    except program_users.SharedUserError as problem:
        lacking["users"] = str(problem)
    mounts = files.can_mount()
    if not mounts:
        lacking["folders"] = "mounting is not permitted here"
    return SupervisorAbilities(users, entered, mounts, base), lacking


def _works_in_namespace() -> bool:
    """Return whether a user namespace can be entered and used, tried in a child process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            try:
                first = program_users.enter_namespace().first
            except program_users.SharedUserError:
                first = 0
            if files.can_mount():
                os.setresuid(first, first, first)
                status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0
