"""What a host asks of its supervisor, and what a keeper tells the host, as JSON objects."""

from __future__ import annotations

from typing import TypedDict

NAMESPACES, LANDLOCK = "namespaces", "landlock"
TRUSTED = "trusted"
AUTO = "auto"
"""The choice of the strongest sandbox that this machine has."""

TIERS = (NAMESPACES, LANDLOCK, TRUSTED)
"""The strongest first."""

CHOICES = (AUTO, *TIERS)
"""What a file or a command line may name; `auto` is the strongest that holds here."""


class ResourceBounds(TypedDict):
    """What a program may use, with all that it starts; None: as much as there is."""

    memory: int | None  # bytes
    cpu: float | None  # seconds of the processor
    processes: int
    disk: int  # bytes, of a file and of all that it writes
    files: int  # files and folders that it writes


class LaunchRequest(TypedDict):
    """A program that is to be started, contained."""

    tier: str
    words: list[str]  # its command line, with absolute paths as they are inside
    environment: dict[str, str]
    folder: str  # where it works, on the host
    inside: str  # what that is called inside
    reads: list[tuple[str, str]]  # what it may read on the host, and what that is called inside
    links: bool  # does it work in its own folder, where a build links programs?
    lists: list[str]  # folders whose names it may read, where nothing is mounted
    bounds: ResourceBounds
    keeps: bool  # whether what it has written is wanted when it has ended


class KeeperReport(TypedDict, total=False):
    """What a keeper says: first that the sandbox stands or does not, at last how it ended."""

    up: bool
    broken: str  # why the sandbox does not stand
    status: int  # of exit; minus the number of a signal
    stopped: str  # the limit that was passed
    left: int  # processes that outlived the program
    cpu: float  # seconds of the processor, of all
    unkept: str  # why what it has written is not kept,
    errno: int  # and the error of the host's, if it was the host's fault
