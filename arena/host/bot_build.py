"""Building a bot: its build command runs in a sandbox, or plainly where it is trusted."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypedDict, Unpack

from attrs import frozen

from arena.host.bot_file import BotError
from arena.host.shortages import MachineError, ShortageError, describe_shortage
from arena.players import PollLoop, Process, ProgramStartError, end_processes, wait_for_end
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

BUILD_TIMEOUT_SECONDS = 600.0  # of a stranger's
REDIRECT_TO_STDERR = ("/bin/sh", "-c", 'exec "$@" >&2', "sh")  # all that it says is in one place


class BuildError(BotError):
    """A bot whose build command fails."""


@frozen
class CommandResult:
    """How a command came out that ran in a sandbox."""

    problem: str  #: what went wrong, in words; nothing where its exit status was 0
    stderr: str  #: the end of what it wrote to standard error
    exit_status: int | None  #: None where a signal or a limit has ended it
    in_time: bool = True  #: did it end by itself, or by a limit of the sandbox?


def run_in_sandbox(
    words: Sequence[str],
    folder: Path,
    sandbox: Sandbox | None,
    seconds: float,
    *,
    home: Path | None = None,
    stdin: bytes = b"",
    log: IO[bytes] | None = None,
) -> CommandResult:
    """Run a command in a sandbox; return how it ended.

    Args:
        words: its command line, the program as an absolute path.
        folder: where it works, and may write.
        sandbox: what contains it; None: nothing does, as it is trusted.
        seconds: that it may take; then all of it is ended.
        home: what else it may read; None: the files that `words` name.
        stdin: its standard input.
        log: is written what it writes to standard error, up to a limit, and closed.

    Raises:
        OSError: where the sandbox fails, which is no fault of the command.
    """
    process = Process(words, folder, log=log, sandbox=sandbox, home=home)
    loop = PollLoop()
    try:
        process.pipes.write(stdin)
        process.begin_shutdown(loop)
        wait_for_end([process], loop, seconds)
        in_time = not process.running
    finally:
        end_processes([process], 0.0)
    said = process.pipes.tail.decode(errors="replace")
    if not in_time:
        return CommandResult(f"not finished within {seconds:g} s", said, None, in_time=False)
    status = process.exit_status
    problem = process.discard_reason if status == 0 else process.exit_reason
    return CommandResult(problem, said, status)


class BuildOptions(TypedDict, total=False):
    """How a stranger's build is run."""

    seconds: float  #: that it may take in a sandbox
    log: IO[bytes]  #: is written what it says, and closed
    shown: Path  #: what errors call the folder, where it is a copy of this one


def build_bot(
    folder: Path, command: str, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
) -> None:
    """Run a bot's build command in its folder, where it may write.

    Args:
        folder: the bot's.
        command: as a shell would read it.
        sandbox: what contains it; None: it is trusted, and may take any time.
        terms: how long it may take in a sandbox, where what it says is kept, and what errors
            call the folder.

    Raises:
        BuildError: with the last that it said.
        ShortageError, NoSandboxError: where the machine or its sandbox fails.
    """
    shown = terms.get("shown", folder)
    try:
        words = _split_command(command)
    except ValueError as problem:
        raise BuildError(f"{shown}: build {command!r}: {problem}") from None
    try:
        result = _run_build(folder, words, sandbox, **terms)
    except ProgramStartError as problem:
        raise BuildError(f"{shown}: build {command!r}: {problem}") from None
    except OSError as problem:
        raise _choose_error(problem, sandbox)(f"{shown}: build {command!r}: {problem}") from None
    if result.problem:
        lines = result.stderr.strip().splitlines()
        last = next((line for line in lines if "error" in line.lower()), "".join(lines[-1:]))
        why = f"{result.problem}: {last}" if last else result.problem
        raise BuildError(f"{shown}: build {command!r} failed: {why}")


def _choose_error(problem: OSError, sandbox: Sandbox | None) -> type[UserError]:
    """Return the class of the error for a build that could not be started."""
    if describe_shortage(problem):
        return ShortageError
    from arena.sandbox import NoSandboxError

    return NoSandboxError if sandbox else MachineError


def _split_command(command: str) -> list[str]:
    """Return the words of a command line; raise ValueError."""
    if words := shlex.split(command):
        return words
    raise ValueError("empty command")


def _run_build(
    folder: Path, words: Sequence[str], sandbox: Sandbox | None, **terms: Unpack[BuildOptions]
) -> CommandResult:
    """Run a build as a program of the bot is run: what it leaves behind is ended."""
    home = folder.absolute()
    seconds = inf
    if sandbox:
        words = (shutil.which(words[0]) or str(home / words[0]), *words[1:])
        seconds = terms.get("seconds", BUILD_TIMEOUT_SECONDS)
    command = (*REDIRECT_TO_STDERR, *words)
    return run_in_sandbox(command, home, sandbox, seconds, home=home, log=terms.get("log"))
