"""A folder that holds a bot: its `bot.toml` says how to build it and how to run it.

```toml
name = "mine"
command = "ruby mine.rb"
build = "make"          # optional: run in the folder, once, before the first match
protocol = "text"       # optional: a wire of the game, or "json"
directory = "bot"       # optional: it works in a copy of its folder, not in an empty one

[parameters.w]          # optional: `mine:w=5` puts 5 for {w} into the command
type = "int"
default = 3
```
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypedDict, Unpack

from attrs import field, frozen, validators

from arena.host.contained import Ran, run_contained
from arena.host.declared import SETTING, Declared, Value, settle, written
from arena.host.shortage import MachineError, Shortage, short_of
from arena.players import ITS_OWN, environment
from arena.plugins import JSON
from arena.rules import UserError
from arena.wires import printable, read, read_toml

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

FILE = "bot.toml"
"""What a folder with a bot has in it."""

NAME = "[A-Za-z0-9_]{1,32}"
"""What entrants may be called, as a regular expression."""

FOLDER = "folder"  # `{folder}` in a command is the bot's own
SETTING_WORDS = f"small letters, digits and underscore, a letter first, and not {FOLDER}"
EMPTY, COPY = "empty", "bot"  # where its program works
MAX_COMMAND_LENGTH = 4000  # characters of a command line, parameters filled in; more is a script's
LONGEST_BUILD = 600.0  # seconds, of a stranger's
SAYING = ("/bin/sh", "-c", 'exec "$@" >&2', "sh")  # all that it says is to be read in one place


class BadBot(UserError):
    """A bot that cannot take part; the text says why, in one line.

    A stranger has named the files that it may name, so it is made fit for a terminal.
    """

    def __init__(self, text: str) -> None:
        super().__init__(printable(text))


class Unbuilt(BadBot):
    """A bot whose build command fails."""


@frozen
class BotFile:
    """What a `bot.toml` says.

    `name` is what the bot is called, `command` starts it, `build` is run once before. It
    speaks the wire `protocol` (None: the game's first), works in the `directory` that is
    meant, an empty one or a copy of its own, and has these `parameters`.
    """

    name: str = field(validator=validators.matches_re(NAME))
    command: str | tuple[str, ...]
    build: str | None = None
    protocol: str | None = None
    directory: str = field(default=EMPTY, validator=validators.in_([EMPTY, COPY]))
    parameters: Mapping[str, Declared] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """See that commands can be run, and that each parameter has a name and is handed over."""
        check_command(self.line, "command")
        check_command(self.build or "", "build")
        for name in self.parameters:
            if name == FOLDER or not re.fullmatch(SETTING, name):
                raise ValueError(f"parameters.{name}: is no name: {SETTING_WORDS}")
            if f"{{{name}}}" not in self.line:
                raise ValueError(
                    f"parameters.{name}: the command does not have it: write {{{name}}}"
                )

    @property
    def line(self) -> str:
        """Return the command as one line, as a shell would read it."""
        return self.command if isinstance(self.command, str) else shlex.join(self.command)


def check_command(line: str, key: str) -> None:
    """Raise ValueError for a command line that no system would start."""
    if "\0" in line:
        raise ValueError(f"{key}: has a NUL byte, which no command line can have")
    if len(line) > MAX_COMMAND_LENGTH:
        raise ValueError(
            f"{key}: is longer than {MAX_COMMAND_LENGTH} characters: put it into a script"
        )


def load(folder: Path) -> BotFile:
    """Read a folder's file.

    Raises:
        BadBot: with all that is wrong in it.
        MachineError: where the machine cannot read it, which says nothing about the bot.
    """
    path = folder / FILE
    if path.is_symlink():
        raise BadBot(f"{path}: a symbolic link, which is not followed; put the file itself there")
    if not path.is_file():  # a pipe would never end
        raise BadBot(f"{folder}: a folder without a {FILE}")
    try:
        return read(read_toml(path, follow=False), BotFile)
    except OSError as problem:
        raise MachineError(f"{printable(str(path))}: {problem.strerror}") from None
    except ValueError as problem:  # no UTF-8, no TOML, or not what a bot needs
        raise BadBot(f"{path}: {problem}") from None


def settings(folder: Path, file: BotFile, given: str) -> dict[str, Value]:
    """Return the values of a bot's parameters, `NAME=VALUE,...` being given; raise BadBot."""
    try:
        return settle(file.parameters, given)
    except UserError as problem:
        raise BadBot(f"{folder / FILE}: {problem}") from None


def read_folder(
    protocols: Sequence[str], text: str, home: Path, given: str
) -> tuple[BotFile, str | None, Mapping[str, str]]:
    """Return what a bot's file says, the wire that it speaks, and its parameters as words.

    Args:
        protocols: the wires of the game.
        text: what named the bot.
        home: its folder.
        given: the parameters in that text.

    Raises:
        BadBot: with what is wrong in the file, or in the parameters.
    """
    file = load(home)
    protocol = JSON if text.startswith(f"{JSON}:") else file.protocol
    if protocol not in (None, *protocols):
        known = ", ".join(protocols)
        raise BadBot(f"{home / FILE}: protocol {protocol!r} is none of {known}")
    values = settings(home, file, given)
    return file, protocol, {name: written(value) for name, value in values.items()}


class BuildTerms(TypedDict, total=False):
    """How a stranger's build is run."""

    seconds: float  #: that it may take in a sandbox
    log: IO[bytes]  #: is written what it says, and closed
    shown: Path  #: what errors call the folder, where it is a copy of this one


def build(
    folder: Path, command: str, sandbox: Sandbox | None = None, **terms: Unpack[BuildTerms]
) -> None:
    """Run a bot's build command in its folder, where it may write.

    Args:
        folder: the bot's.
        command: as a shell would read it.
        sandbox: what contains it; None: it is trusted, and may take any time.
        terms: how long it may take in a sandbox, where what it says is kept, and what errors
            call the folder.

    Raises:
        Unbuilt: with the last that it said.
        Shortage, NoSandbox: where the machine or its sandbox fails.
    """
    shown = terms.get("shown", folder)
    try:
        words = _words(command)
    except ValueError as problem:
        raise Unbuilt(f"{shown}: build {command!r}: {problem}") from None
    run = partial(_contained, sandbox=sandbox) if sandbox else _built
    try:
        ran = run(folder, words, **terms)
    except OSError as problem:
        raise _not_run(problem, sandbox)(f"{shown}: build {command!r}: {problem}") from None
    if ran.why:
        lines = ran.said.strip().splitlines()
        last = next((line for line in lines if "error" in line.lower()), "".join(lines[-1:]))
        raise Unbuilt(f"{shown}: build {command!r} gave {ran.why}: {last}")


def _not_run(problem: OSError, sandbox: Sandbox | None) -> type[UserError]:
    """Return what to raise for a build that could not be started, by whose fault that is."""
    if short_of(problem):
        return Shortage
    if sandbox is None and problem.errno in ITS_OWN:
        return Unbuilt
    from arena.sandbox import NoSandbox

    return NoSandbox if sandbox else MachineError


def _words(command: str) -> list[str]:
    """Return the words of a command line; raise ValueError."""
    if words := shlex.split(command):
        return words
    raise ValueError("empty command")


def _built(folder: Path, words: Sequence[str], **terms: Unpack[BuildTerms]) -> Ran:
    """Run a build that is trusted."""
    done = subprocess.run(
        words, cwd=folder, env=environment(), check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if log := terms.get("log"):
        with log:
            log.write(done.stdout)
    why = f"exit status {done.returncode}" if done.returncode else ""
    return Ran(why, done.stdout.decode(errors="replace"))


def _contained(
    folder: Path, words: Sequence[str], sandbox: Sandbox, **terms: Unpack[BuildTerms]
) -> Ran:
    """Run a build in a sandbox."""
    home = folder.absolute()
    program = shutil.which(words[0]) or str(home / words[0])
    said = (*SAYING, program, *words[1:])
    seconds, log = terms.get("seconds", LONGEST_BUILD), terms.get("log")
    return run_contained(said, home, sandbox, seconds, home=home, log=log)
