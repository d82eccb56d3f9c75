"""Warm starts behind Landlock, from the first start on, for whatever is started in a block."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attrs import evolve

from arena.players.starter.child_processes import read_session
from arena.sandbox import LANDLOCK, Sandbox, policy
from arena.sandbox.messages import LaunchRequest
from arena.sandbox.processes.process_tree import (
    find_running_thread,
    iter_descendants,
    list_children,
)
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT

WARM = "landlock, warm"
"""How a test is called that is played in this way."""

PLAIN_OPTIONS = {"-I", "-S"}  # with them a start is plain
CHECK = "__import__('sys')._getframe(1)  # there is none above a script that was started plainly\n"
"""Begins a script that must not be started plainly."""


class WarmStarts:
    """Whether they are on."""

    are_on = False


@contextmanager
def warm_starts(*, on: bool = True) -> Iterator[None]:
    """Have a fork server run each script in Python behind Landlock, builds excepted."""
    if not on:
        yield
        return
    plain = Sandbox.request

    def request(
        self: Sandbox, words: Sequence[str], folder: Path, home: Path | None, **options: Any
    ) -> LaunchRequest:
        """Build a request as the sandbox would where warm starts are on."""
        warm = evolve(self, resources=evolve(self.resources, warm_starts=True))
        is_python = words[0] == sys.executable and self.tier == LANDLOCK
        without = [word for word in words if not (is_python and word in PLAIN_OPTIONS)]
        return plain(warm, without, folder, home, **options)

    with (
        patch.object(Sandbox, "request", request),
        patch.object(policy, "PLAIN_STARTS", 0),
        patch.object(WarmStarts, "are_on", True),
    ):
        yield


def build_check(tier: str) -> str:
    """Return the beginning of a script in a tier: one that is not warm fails where it should be."""
    return CHECK if WarmStarts.are_on and tier == LANDLOCK else ""


def list_forked() -> list[int]:
    """Return the programs of this host behind Landlock, and what they have left."""
    supervisor = SUPERVISOR_CLIENT._process
    launchers = list_children(supervisor.pid) if supervisor else []
    return [process for launcher in launchers for process in list_programs(launcher)]


def list_programs(launcher: int) -> list[int]:
    """Return the running processes of a launcher's program.

    Each has a session of its own, and a fork server that of its launcher.
    """
    gone_or_own = 0, read_session(launcher)
    return [
        process
        for process, _ in iter_descendants(launcher)
        if read_session(process) not in gone_or_own and find_running_thread(process)
    ]
