"""The launcher's side of a fork server: an interpreter that runs a bot's script in its forks."""

from __future__ import annotations

import marshal
import os
import signal
import socket
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from arena.sandbox.processes.program_setup import ProgramLaunch

SCRIPT = str(PurePath(__file__).parents[1] / "fork_server" / "run.py")
DESCRIPTOR = 3  # of the socket, in the fork server
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": "/nonexistent",
    "LANG": "C.UTF-8",
}  # fmt: skip
READY_TIMEOUT_SECONDS = 30.0  # until it runs, where the machine is very busy
MAX_FORKS = 200  # of one fork server: they share the seed of the interpreter's hashes
MAX_ANSWER_BYTES = 64
CAN_FORK = b"1"
FORK = b"fork"
MARSHAL_VERSION = 4  # which all versions of Python read that a fork server may have


class ForkServerError(OSError):
    """A fork server that does not answer, or cannot fork: programs are started plainly."""


class ForkServerClient:
    """The client of a fork server, which is a child of this launcher."""

    def __init__(self, interpreter: str) -> None:
        """Start it; raise OSError."""
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        streams = os.pipe()  # the interpreter sees that its streams are pipes, as those of programs
        given = (*streams, streams[1], there.fileno())
        try:
            self.process = os.posix_spawn(
                interpreter,
                [interpreter, SCRIPT, str(DESCRIPTOR)],
                ENVIRONMENT,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, held, number) for number, held in enumerate(given)
                ],
                setsigmask=(),
                setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
            )
        finally:
            there.close()
            for end in streams:
                os.close(end)
        self._handle = os.pidfd_open(self.process)  # its number may be another's one day
        self.fork_count = 0
        self._socket.settimeout(READY_TIMEOUT_SECONDS)
        with suppress(OSError):
            if self._socket.recv(MAX_ANSWER_BYTES) == CAN_FORK:
                self._socket.settimeout(None)
                return
        self.close()
        raise ForkServerError(f"{interpreter}: it cannot fork")

    @property
    def descriptors(self) -> tuple[int, int]:
        """The descriptors of this process that it takes."""
        return self._socket.fileno(), self._handle

    @property
    def needs_replacement(self) -> bool:
        """Whether another one is to be started in its place."""
        return self.fork_count >= MAX_FORKS

    def fork(self, launch: ProgramLaunch) -> tuple[int, int]:
        """Fork a program; return its number, and the pipe that reports its sandbox as ready.

        Raises:
            OSError: it cannot.
        """
        self.fork_count += 1
        up, says = os.pipe()
        plan = os.memfd_create("plan")
        try:
            parts: Any = launch._replace(streams=(0, 0, 0), group=None, is_bounded=True)
            os.write(plan, marshal.dumps(tuple(parts), MARSHAL_VERSION))
            group = [] if launch.group is None else [launch.group]
            socket.send_fds(self._socket, [FORK], [plan, says, *launch.streams, *group])
            if process := int(self._receive()):
                return process, up
            raise ForkServerError("the fork server cannot fork")
        except OSError:
            os.close(up)
            raise
        finally:
            os.close(says)
            os.close(plan)

    def wait(self, process: int) -> tuple[int, float]:
        """Return the status of a program that has ended, and the CPU seconds that it has used."""
        try:
            self._socket.send(b"%d" % process)
            status, cpu_seconds = self._receive().split()
        except OSError:  # it was ended, and the program is this process's child now
            with suppress(ChildProcessError):
                os.waitpid(self.process, 0)
            _, known, used = os.wait4(process, 0)
            return known, used.ru_utime + used.ru_stime
        return int(status), float(cpu_seconds)

    def _receive(self) -> bytes:
        said = self._socket.recv(MAX_ANSWER_BYTES)
        if not said:
            raise ForkServerError("the fork server has ended")
        return said

    def close(self) -> None:
        """End it."""
        self._socket.close()
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.process, 0)
        os.close(self._handle)
