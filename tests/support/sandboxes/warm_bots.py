"""Bots in Python that are started behind Landlock without a match, plainly and warm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from attrs import define, field

from arena.sandbox import LANDLOCK, Resources, Sandbox, SandboxedProcess, find_obstacle
from arena.sandbox.processes.fork_server_client import SCRIPT
from arena.sandbox.processes.process_tree import list_children
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.support.programs import list_lasting
from tests.support.sandboxes.plain_starts import list_launchers, wait_for_end
from tests.support.sandboxes.warm import list_programs, warm_starts

PYTHON = "/usr/bin/python3"
WAITS = "import sys; sys.stdin.read()"
Said = tuple[bytes, bytes, int | None, dict[str, str]]
"""The output, the errors, the status and the files of a program that has ended."""


@define
class Started:
    """A program behind Landlock that has been started."""

    process: SandboxedProcess
    folder: Path

    @property
    def launcher(self) -> int:
        """Its launcher, while it runs and no other program does."""
        (found,) = filter(list_programs, list_launchers())
        return found

    @property
    def fork_server(self) -> int:
        """The fork server that has forked it."""
        return find_fork_server(self.launcher)

    def read_line(self) -> str:
        """Return its next line of output."""
        return self.process.streams[1].readline().decode()

    def end(self) -> Said:
        """Close its input, and wait for its end."""
        wait_for_end(self.process)
        out, errors = (stream.read() for stream in self.process.streams[1:])
        self.close()
        files = {path.name: path.read_text() for path in self.folder.iterdir() if path.is_file()}
        return out, errors, self.process.status, files

    def close(self) -> None:
        """End it."""
        self.process.close()
        for stream in self.process.streams:
            stream.close()


@define
class Bot:
    """A script, and the folders in which it is started."""

    folder: Path
    script: Path = field(init=False)
    count: int = 0

    def __attrs_post_init__(self) -> None:
        """Make its folder."""
        self.script = self.folder / "bot.py"

    def start(self, text: str = "", *words: str, resources: Resources | None = None) -> Started:
        """Start it with a text, if one is given, and with arguments."""
        if text:
            self.script.write_text(text)
        self.count += 1
        work = self.folder / f"work-{self.count}"
        work.mkdir()
        given = resources or Resources(warm_starts=True)
        command = [PYTHON, str(self.script), *words]
        request = Sandbox(LANDLOCK, given).request(command, work, None)
        started = Started(SandboxedProcess(request), work)
        started.process.wait_until_ready()
        return started

    def run(self, text: str = "", *words: str) -> Said:
        """Start it, and see it end."""
        return self.start(text, *words).end()

    def run_both_ways(self, text: str = "", *words: str) -> tuple[Said, Said]:
        """Run it plainly, and by a fork server."""
        plain = self.start(text, *words, resources=Resources()).end()
        end_launchers()
        with warm_starts():
            started = self.start(text, *words)
            assert any(map(find_fork_server, list_launchers()))
            return plain, started.end()


@pytest.fixture
def bot() -> Iterator[Bot]:
    """Return a bot whose folder all may read."""
    if problem := find_obstacle(LANDLOCK):
        pytest.skip(problem)
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        end_launchers()
        yield Bot(Path(folder))


def end_launchers() -> None:
    """End the launchers that have no program, and wait for their end."""
    SUPERVISOR_CLIENT.end_idle()
    assert list_lasting(list_launchers()) == []


def read_command(process: int) -> list[str]:
    """Return the command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")


def find_fork_server(launcher: int) -> int:
    """Return the fork server of a launcher, or 0."""
    return next((child for child in list_children(launcher) if SCRIPT in read_command(child)), 0)
