"""The supervisor: a small process that forks launchers.

A host is large and has threads: a fork of it would cost much, and its threads would not come
along. It ends when the host does, and so do its launchers, each by its own sockets. It passes
requests on as descriptors and never reads them.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress

from arena.sandbox.kernel import libc, seccomp
from arena.sandbox.kernel.cgroup import OWN_GROUP, discard_group
from arena.sandbox.kernel.features import find_abilities
from arena.sandbox.messages import LAUNCH_DESCRIPTORS, MAX_MESSAGE_BYTES
from arena.sandbox.processes import process_tree
from arena.sandbox.processes.launcher import run_launcher
from arena.sandbox.processes.program_keeper import reset_signals


class Supervisor:
    """Starts launchers, and ends what a killed launcher leaves behind."""

    def __init__(self, *, own_group: bool) -> None:
        self._launchers: set[int] = set()
        self._ended_launchers: set[int] = set()  # whose control groups may be left
        self._abilities, self._shortcomings = find_abilities(own_group=own_group)
        libc.prctl(libc.SUBREAPER, 1)
        able = self._abilities
        seccomp.compile_ahead(
            exposed=not able.mounts, shared_user=able.users is None, polled=not able.cgroup
        )

    def serve(self, host: socket.socket) -> None:
        """Start programs for the host, until the host and the last launcher have ended."""
        alarm, poll = process_tree.ChildAlarm(), select.poll()
        host.send(json.dumps(self._shortcomings).encode())
        for waiting in (host, alarm):
            poll.register(waiting, select.POLLIN)
        while True:
            stirring = [descriptor for descriptor, _ in poll.poll()]
            if alarm.fileno() in stirring:
                alarm.clear()
                self._reap()
            if host.fileno() in stirring:
                message, descriptors, _, _ = socket.recv_fds(
                    host, MAX_MESSAGE_BYTES, LAUNCH_DESCRIPTORS + 1
                )
                if not message:
                    break
                self._start((host, alarm), descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
        self._wait_for_launchers()

    def _start(
        self, own: tuple[socket.socket, process_tree.ChildAlarm], descriptors: list[int]
    ) -> None:
        """Fork a launcher, which gets the descriptors but none of the supervisor's sockets."""
        process = os.fork()
        if process == 0:
            for inherited in own:
                inherited.close()
            *first_start, line = descriptors
            run_launcher(socket.socket(fileno=line), first_start, self._abilities)
        self._launchers.add(process)

    def _wait_for_launchers(self) -> None:
        """Wait until the last launcher has ended."""
        with suppress(ChildProcessError):  # there is none any more
            while True:
                self._reap()
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)

    def _reap(self) -> None:
        """Collect ended launchers, and end the children that have lost their launcher."""
        with suppress(ChildProcessError):
            while process := os.waitpid(-1, os.WNOHANG)[0]:
                self._launchers.discard(process)
                if self._abilities.cgroup:
                    self._ended_launchers.add(process)
            for orphan in {*process_tree.list_children(os.getpid())} - self._launchers:
                below = [process for process, _ in process_tree.iter_descendants(orphan)]
                process_tree.send(signal.SIGKILL, [orphan, *below])
        if base := self._abilities.cgroup:
            ended = self._ended_launchers
            self._ended_launchers = {member for member in ended if not discard_group(base, member)}


if __name__ == "__main__":
    reset_signals()  # where SIGCHLD is ignored, nobody learns of the end of a child
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the host's to end it
    Supervisor(own_group=OWN_GROUP in sys.argv).serve(socket.socket(fileno=int(sys.argv[-1])))
