"""The supervisor: a small process that forks a keeper for each program.

A host is large and has threads: a fork of it would cost much, and its threads would not come
along. It ends when the host does, and so do its keepers, each by its own socket.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress

from arena.sandbox import kernel, seccomp, tree
from arena.sandbox.abilities import find_abilities
from arena.sandbox.cgroup import OWN_GROUP, discard_group
from arena.sandbox.keeper import keep

LONGEST = 1 << 20  # bytes of a request
STREAMS = 3


class Supervisor:
    """Starts keepers, and ends what one leaves behind that somebody has killed."""

    def __init__(self, *, own_group: bool) -> None:
        self._keepers: set[int] = set()
        self._ended_keepers: set[int] = set()  # whose control groups may be left
        self._abilities, self._shortcomings = find_abilities(own_group=own_group)
        kernel.prctl(kernel.SUBREAPER, 1)
        able = self._abilities
        seccomp.compile_ahead(exposed=not able.mounts, shared_user=able.users is None)
        signal.signal(signal.SIGCHLD, lambda *_: self._see())

    def serve(self, host: socket.socket) -> None:
        """Start what the host asks for, until it goes, and the last keeper after it."""
        host.send(json.dumps(self._shortcomings).encode())
        while True:
            message, descriptors, _, _ = socket.recv_fds(host, LONGEST, STREAMS + 1)
            if not message:
                return self._see_out()
            self._start(host, message, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)

    def _start(self, host: socket.socket, message: bytes, descriptors: list[int]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # until it is known
        process = os.fork()
        if process == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            host.close()
            *streams, control = descriptors
            keep(json.loads(message), (streams[0], streams[1], streams[2]),
                 socket.socket(fileno=control), self._abilities)  # fmt: skip
        self._keepers.add(process)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])

    def _see_out(self) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with suppress(ChildProcessError):  # there is none any more
            while True:
                self._see()
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)

    def _see(self) -> None:
        """Take the status of who has ended; who else is a child has lost its keeper."""
        with suppress(ChildProcessError):
            while process := os.waitpid(-1, os.WNOHANG)[0]:
                self._keepers.discard(process)
                if self._abilities.cgroup:
                    self._ended_keepers.add(process)
            for orphan in {*tree.children(os.getpid())} - self._keepers:
                below = [one for one, _ in tree.descendants(orphan)]
                tree.send(signal.SIGKILL, [orphan, *below])
        if base := self._abilities.cgroup:
            ended = self._ended_keepers
            self._ended_keepers = {one for one in ended if not discard_group(base, one)}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the host's to end it
    Supervisor(own_group=OWN_GROUP in sys.argv).serve(socket.socket(fileno=int(sys.argv[-1])))
