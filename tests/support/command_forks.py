"""The command `arena` in forks of one process that has imported it: a start takes no imports.

What runs is a process of its own, with its own folder, environment, streams and end. What one
command has imported, the next one finds imported. Run by itself, this file is the process that
forks: it imports nothing of the tests.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("MKL", "OMP", "OPENBLAS")}
"""What libraries must have: a process with threads of theirs could not be forked."""
UNMARKED = {"ARENA_TEST_MARK": ""}
"""So that no test waits for the end of the process that forks, whichever has started it."""
MAX_MESSAGE_BYTES = 200_000
ROOT = Path(__file__).parents[2]


class CommandForks:
    """Runs commands in forks of a process that it starts."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._connection, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(there.fileno())],
                env=os.environ | ONE_THREAD | UNMARKED, cwd="/", pass_fds=[there.fileno()],
            )  # fmt: skip

    def start(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        streams: Sequence[int | None],
        *,
        leads_session: bool = False,
        max_files: int = 0,
    ) -> CommandFork:
        """Start `arena` with these words and standard streams, when the one before has ended.

        Streams that are None are closed; `max_files` is how many files it may open, if not 0.
        """
        if self._process.poll() is not None:  # a bot may have killed it
            self.close()
            self._start()
        open_streams = {at: file for at, file in enumerate(streams) if file is not None}
        settings = [[*words], str(folder), dict(environment), [*open_streams], leads_session]
        request = json.dumps([*settings, max_files]).encode()
        socket.send_fds(self._connection, [request], [*open_streams.values()])
        return CommandFork(self._connection, int(self._connection.recv(100)))

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        streams: Sequence[int | None],
        timeout: float,
        *,
        max_files: int = 0,
    ) -> int:
        """Run `arena` with these words and standard streams; return its status as `Popen` does.

        Raises TimeoutError, and ends what it has started then.
        """
        fork = self.start(words, folder, environment, streams, max_files=max_files)
        try:
            return fork.wait(timeout)
        except TimeoutError:
            fork.kill()
            fork.wait()
            raise

    def close(self) -> None:
        """End the process that forks."""
        self._connection.close()
        self._process.wait()


class CommandFork:
    """A command that runs in a fork, as `subprocess.Popen` shows it."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._connection, self.pid = connection, pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, or minus the number of a signal; raise TimeoutError."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise TimeoutError
            self.returncode = os.waitstatus_to_exitcode(int(self._connection.recv(100)))
        return self.returncode

    def poll(self) -> int | None:
        """Return what `wait` returns, or None while it runs."""
        with suppress(TimeoutError):
            return self.wait(0)
        return None

    def kill(self) -> None:
        """End it, unless it has ended, which `poll` may not know yet."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


@cache
def start_forks() -> CommandForks:
    """Return the process of these tests that forks commands."""
    forks = CommandForks()
    atexit.register(forks.close)
    return forks


def serve(connection: socket.socket) -> None:
    """Fork for each request; return in a fork, which has become what a new process would be."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, MAX_MESSAGE_BYTES, 3)
        if not request:
            sys.exit()
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        gc.freeze()  # a fork that searched all that is imported for garbage would copy it
        process = os.fork()
        if not process:
            connection.close()
            here.close()
            atexit.register(tell_imports, there, {*sys.modules})
            words, folder, environment, streams, leads_session, max_files = json.loads(request)
            if leads_session:
                os.setsid()
            become(words, folder, environment, dict(zip(streams, descriptors, strict=True)))
            if max_files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
            return
        for descriptor in (*descriptors, there.detach()):
            os.close(descriptor)
        connection.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        connection.send(str(status).encode())
        with here:
            import_modules(here.recv(MAX_MESSAGE_BYTES))


def tell_imports(connection: socket.socket, before: set[str]) -> None:
    """Tell which modules of installed packages and of the checkout a command has imported."""
    names = [
        name for name, module in sys.modules.items()
        if name not in before and is_installed(getattr(module, "__file__", None) or "")
    ]  # fmt: skip
    connection.send(json.dumps(names).encode())


def is_installed(file: str) -> bool:
    """Whether a module is none of a test, which installs it for itself alone."""
    return file.startswith((sys.prefix, sys.base_prefix, str(ROOT)))


def import_modules(message: bytes) -> None:
    """Import what a command has imported, unless it was killed."""
    for name in json.loads(message or "[]"):
        with suppress(ImportError):
            importlib.import_module(name)


def become(
    words: list[str], folder: str, environment: dict[str, str], descriptors: dict[int, int]
) -> None:
    """Become a new process with these words, folder, variables and streams; others are closed."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # which is looked up once
    for standard in range(3):
        if standard in descriptors:
            os.dup2(descriptors[standard], standard)
            os.close(descriptors[standard])
        else:
            os.close(standard)
    sys.argv = [str(Path(sys.executable).with_name("arena")), *words]
    sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        kind, stream = getattr(sys, name), None
        if number in descriptors:
            stream = open(  # noqa: SIM115
                number, kind.mode, encoding=kind.encoding, errors=kind.errors, closefd=False
            )
        setattr(sys, name, stream)


def leave(statuses: Sequence[int]) -> None:
    """End with this status, if there is one: the interpreter goes on to take all modules apart.

    That takes ten times as long as most commands: a fork has to copy what it takes apart.
    """
    if statuses:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(statuses[0])


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    (point,) = entry_points(group="console_scripts", name="arena")
    command = point.load()
    statuses: list[int] = []
    atexit.register(leave, statuses)  # the first one is called last
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        serve(connection)
    try:
        command()
    except SystemExit as ending:
        if isinstance(ending.code, int):
            statuses.append(ending.code)
        raise
