"""The launcher: a process that starts programs of one bot, one after the other.

The host sends it the next start when nothing is left of the last one. Each program has a user, a
folder, a control group, limits, a control socket and a keeper of its own. Where anything else is
found afterwards than before the first program, the launcher ends.

When the host closes its line to the launcher, whatever became of the host, the launcher ends.
"""

from __future__ import annotations

import os
import socket
from typing import NoReturn

from arena.sandbox.kernel.features import SupervisorAbilities
from arena.sandbox.messages import FREE, LAUNCH_DESCRIPTORS, MAX_MESSAGE_BYTES, read_request
from arena.sandbox.processes.launcher_process import LauncherProcess, LauncherState, has_children
from arena.sandbox.processes.program_keeper import ProgramKeeper


def run_launcher(
    line: socket.socket, descriptors: list[int], abilities: SupervisorAbilities
) -> NoReturn:
    """Run a launcher in a fork of the supervisor, with the descriptors of its first start."""
    try:
        Launcher(line, abilities).run(descriptors)
    finally:
        os._exit(0)


class Launcher:
    """Starts one program after the other."""

    def __init__(self, line: socket.socket, abilities: SupervisorAbilities) -> None:
        self._line = line
        self._process = LauncherProcess(abilities)

    def run(self, descriptors: list[int]) -> None:
        """Start programs until one leaves anything behind, or the host closes the line."""
        self._process.separate()
        initial = LauncherState.read(descriptors)
        while len(descriptors) == LAUNCH_DESCRIPTORS and self._run_program(descriptors, initial):
            _, descriptors, _, _ = socket.recv_fds(
                self._line, MAX_MESSAGE_BYTES, LAUNCH_DESCRIPTORS
            )

    def _run_program(self, descriptors: list[int], initial: LauncherState) -> bool:
        """Run a program; return whether nothing of it is left."""
        file, stdin, stdout, stderr, number = descriptors
        with socket.socket(fileno=number) as control:
            request = read_request(file)
            keeper = ProgramKeeper(request, (stdin, stdout, stderr), control, self._process)
            is_clean = keeper.keep() and not has_children()
            is_clean = is_clean and LauncherState.read([number]) == initial
            if is_clean:  # the host knows that before it sees the end of the control socket
                self._line.send(FREE)
        return is_clean
