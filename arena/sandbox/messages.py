"""The JSON messages between host, supervisor and keepers."""

from __future__ import annotations

from typing import TypedDict

NAMESPACES, LANDLOCK = "namespaces", "landlock"
TRUSTED = "trusted"
AUTO = "auto"
"""The choice of the strongest sandbox that works on this machine."""

TIERS = (NAMESPACES, LANDLOCK, TRUSTED)
"""The tiers, the strongest first."""

CHOICES = (AUTO, *TIERS)
"""The choices in a file or on a command line; `auto` is the strongest that works here."""


class ResourceBounds(TypedDict):
    """The limits of a program and its processes; None: unlimited."""

    memory: int | None  # bytes
    cpu: float | None  # seconds of the processor
    processes: int
    disk: int  # bytes, of a file and of all that it writes
    files: int  # files and folders that it writes


class LaunchRequest(TypedDict):
    """A request to start a program in a sandbox."""

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
    """A report of a keeper: first on the set-up of the sandbox, at last on the program's end."""

    up: bool
    broken: str  # why the sandbox does not stand
    status: int  # of exit; minus the number of a signal
    stopped: str  # the limit that was passed
    left: int  # processes that outlived the program
    cpu: float  # seconds of the processor, of all
    unkept: str  # why what it has written is not kept,
    errno: int  # and the error of the host's, if it was the host's fault
