"""Programs that are started in a sandbox without a match."""

from __future__ import annotations

import select
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.sandbox import Resources, Sandbox, SandboxedProcess
from arena.sandbox.processes.process_tree import list_children
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.support.programs import TIMEOUT

PYTHON = ("/usr/bin/python3", "-I", "-S", "-c")


@contextmanager
def started(
    tier: str, program: str, *arguments: str, resources: Resources | None = None
) -> Iterator[SandboxedProcess]:
    """Start some Python in a sandbox, in a new folder, and end it after the block."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*PYTHON, program, *arguments]
        sandbox = Sandbox(tier, resources or Resources())
        confined = SandboxedProcess(sandbox.request(words, Path(folder), None, keeps=False))
        try:
            confined.wait_until_ready()
            yield confined
        finally:
            confined.close()
            for stream in confined.streams:
                stream.close()


def run_to_end(process: SandboxedProcess) -> str:
    """Close the input of a program; return its last output when it has ended."""
    process.streams[0].close()
    assert select.select([process.descriptor], [], [], TIMEOUT)[0]
    process.note_end()
    return process.streams[1].read().decode()


def list_launchers() -> list[int]:
    """Return the launchers of this process's supervisor."""
    supervisor = SUPERVISOR_CLIENT._process
    return list_children(supervisor.pid) if supervisor else []


def find_launcher(before: Sequence[int]) -> int:
    """Return the launcher that there was not before."""
    (launcher,) = {*list_launchers()} - {*before}
    return launcher
