"""The launchers of a host that have no program now, and can start the same one again.

Most of what a start costs beside the program itself is the launcher's own process. A bot that is
started again and again keeps one. It is never used for another bot, nor for other limits.
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from contextlib import suppress
from typing import NamedTuple

from arena.sandbox.messages import FREE, MAX_MESSAGE_BYTES, LaunchRequest

MAX_IDLE = 16  # launchers, each of which takes a few MB
OF_ONE_START = ("folder", "inside", "environment")  # what differs from start to start of a bot


class LauncherLine(NamedTuple):
    """The line to a launcher, and the program that it starts."""

    program: str  # as `describe_program` describes it
    line: socket.socket


class IdleLaunchers:
    """The lines to idle launchers, the least recently used first."""

    def __init__(self) -> None:
        self._waiting: list[LauncherLine] = []
        self._starts: Counter[int] = Counter()  # by the hash of a program

    def take(self, program: str) -> LauncherLine | None:
        """Count a start of a program, and return a launcher for it, if there is one."""
        self._starts[hash(program)] += 1
        for launcher in reversed(self._waiting):
            if launcher.program == program:
                self._waiting.remove(launcher)
                if _is_free(launcher.line):
                    return launcher
                launcher.line.close()
                break
        return None

    def give_back(self, launcher: LauncherLine) -> None:
        """Keep the launcher of a program that has ended if that was not its first start."""
        if self._starts[hash(launcher.program)] == 1:
            launcher.line.close()
            return
        self._waiting.append(launcher)
        while len(self._waiting) > MAX_IDLE:
            self._waiting.pop(0).line.close()

    def close(self) -> None:
        """End all of them."""
        while self._waiting:
            self._waiting.pop().line.close()


def describe_program(request: LaunchRequest, supervisor: int) -> str:
    """Return the common parts of all starts of a bot, limits and supervisor included."""
    common = {name: value for name, value in request.items() if name not in OF_ONE_START}
    return json.dumps([supervisor, common])


def _is_free(line: socket.socket) -> bool:
    """Return whether a launcher has said that nothing is left of its last program."""
    with suppress(BlockingIOError, ConnectionResetError):
        return line.recv(MAX_MESSAGE_BYTES, socket.MSG_DONTWAIT) == FREE
    return False
