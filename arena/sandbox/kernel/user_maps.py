"""The maps of users between a user namespace and its parent (user_namespaces(7))."""

from __future__ import annotations


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
