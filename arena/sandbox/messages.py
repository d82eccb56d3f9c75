"""The messages between a host and the launchers of its programs.

A request is a file in memory. The supervisor passes its descriptor on and never reads it: what it
held in its own memory, all launchers and what they fork would inherit.
"""

from __future__ import annotations

import json
import os
from typing import TypedDict

NAMESPACES, LANDLOCK = "namespaces", "landlock"
TRUSTED = "trusted"
AUTO = "auto"
"""The choice of the strongest sandbox that works on this machine."""

START = b"start"
"""The message that comes with the descriptors of a request, three streams and a control socket."""

FREE = b"free"
"""The message of a launcher that has nothing left of its last program, and can start the next."""

MAX_MESSAGE_BYTES = 64
LAUNCH_DESCRIPTORS = 5

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
    unkept: str  # why what it has written is not kept,
    errno: int  # and the error of the host's, if it was the host's fault


def write_request(request: LaunchRequest) -> int:
    """Return the descriptor of a file in memory with a request."""
    file = os.memfd_create("request")
    with open(file, "w", closefd=False) as text:
        json.dump(request, text)
    return file


def read_request(file: int) -> LaunchRequest:
    """Read a request from the beginning of its file, and close that."""
    with open(file) as text:
        text.seek(0)
        request: LaunchRequest = json.load(text)
    return request
