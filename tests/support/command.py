"""Fixtures that run the `arena` command: as a process, in this process, and with plugins installed for a test."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from uuid import uuid4

import click
import pytest
from attrs import define

from arena.cli.command_group import run as run_command
from tests.support.command_forks import CommandFork, start_forks
from tests.support.programs import TIMEOUT, environment, wait_for_end

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
ARENA = str(Path(sys.executable).parent / "arena")
READ_AT_START = {"LANG", "LC_ALL", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8"}
Install = Callable[..., Path]
UNREAD = "|"
"""In place of a file's path: a pipe that nobody reads."""
OWN_MARK = uuid4().hex
"""That of all tests in this process: programs of one environment are started by one process."""
PROGRESS = (  # lines that a command prints every few seconds: more on a busy machine
    re.compile(r"^\d+ of \d+ matches(, .* left)?\n", re.MULTILINE),
    re.compile(r"^\d+ matches are over.*\n(?=\d+ matches are over)", re.MULTILINE),
    re.compile(r"^(.+ vs .+: )\d+ games, .*\n(?=\1\d+ games, )", re.MULTILINE),
)


def walk_commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group, and of the groups in it, by the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        yield f"{path}{name}", command
        if isinstance(command, click.Group):
            yield from walk_commands(command, f"{path}{name} ")


def leave_out_progress(text: str) -> str:
    """Return what a command has printed without what it says of how far it is."""
    for pattern in PROGRESS:
        text = pattern.sub("", text)
    return text


@pytest.fixture
def mark() -> Iterator[str]:
    """Return a mark for the environment of processes, of which none may be left afterwards."""
    yield OWN_MARK
    found = wait_for_end(OWN_MARK)  # some end with a pipe of a process that has ended
    for process in found:  # so that one test that fails does not spoil others
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert found == {}


def run_arena(
    words: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    stdin: str = "",
    *,
    streams: Mapping[int, str | None] | None = None,
    max_files: int = 0,
) -> subprocess.CompletedProcess[str]:
    """Run `arena` in a process of its own, which is a fork of one that has imported it.

    `streams` are other standard streams, by number: the path of a file, UNREAD, or None for one
    that is closed. `max_files` is how many files it may open, if not 0.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile("w+", errors="replace")) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        numbers: list[int | None] = [file.fileno() for file in files]
        for number, path in (streams or {}).items():
            numbers[number] = opened = None if path is None else open_output(path)
            if opened is not None:
                stack.callback(os.close, opened)
        status = start_forks().run(words, folder, variables, numbers, TIMEOUT, max_files=max_files)
        said = [(file.seek(0), file.read())[1] for file in files[1:]]
    return subprocess.CompletedProcess(words, status, *said)


@define
class RunningCommand:
    """A command that runs, and what it prints."""

    process: CommandFork | subprocess.Popen[str]
    stdout: IO[str]
    stderr: IO[str]

    def interrupt(self) -> None:
        """Send what Ctrl-C sends."""
        os.kill(self.process.pid, signal.SIGINT)


@contextmanager
def start_arena(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], *, pipe_bytes: int = 0
) -> Iterator[RunningCommand]:
    """Run `arena` like `run_arena`, while a block goes on; kill it if it has not ended then.

    It waits once so many bytes that it has printed were not read, if not 0.
    """
    with Path(os.devnull).open() as nothing, ExitStack() as stack:
        pipes = [os.pipe() for _ in range(2)]
        files = [stack.enter_context(os.fdopen(read)) for read, _ in pipes]
        if pipe_bytes:
            fcntl.fcntl(pipes[0][0], fcntl.F_SETPIPE_SZ, pipe_bytes)
        streams = [nothing.fileno(), *(write for _, write in pipes)]
        process = start_forks().start(words, folder, variables, streams)
        for _, write in pipes:
            os.close(write)
        try:
            yield RunningCommand(process, *files)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def open_output(path: str) -> int:
    """Open a file to write to, or a pipe that nobody reads; return its descriptor."""
    if path != UNREAD:
        return os.open(path, os.O_WRONLY)
    read, write = os.pipe()
    os.close(read)
    return write


@pytest.fixture
def cli(mark: str, tmp_path: Path) -> Cli:
    """Return a way to run `arena` as people do, in an empty folder.

    With variables that only a new interpreter reads it is one.
    """

    def run(*words: str | Path, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        variables = environment(mark, **more)
        if READ_AT_START.isdisjoint(more):
            return run_arena([*map(str, words)], tmp_path, variables, stdin)
        return subprocess.run(
            [ARENA, *map(str, words)], cwd=tmp_path, env=variables, input=stdin,
            capture_output=True, text=True, check=False, timeout=TIMEOUT,
        )  # fmt: skip

    return run


@pytest.fixture
def quick(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cli]:
    """Return a way to run `arena` in this process, for what starts no program and logs nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        status = run_command([*map(str, words)])
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, status, said.out, said.err)

    with Path(os.devnull).open() as nothing:  # pytest's own standard input is no file
        monkeypatch.setattr(sys, "stdin", nothing)
        yield run


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Return a way to install a plugin of this source in a folder, which is to be put on the path.

    `commands` are lines of its entry points for commands, such as `hello = module:attribute`.
    """

    def make(name: str, source: str, folder: str = "site", commands: str = "") -> Path:
        site = tmp_path / folder
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[arena]\n{name} = {name}\n\n[arena.commands]\n{commands}\n"
        )
        (site / f"{name}.py").write_text(source)
        return site

    return make
