"""A folder that holds a bot: its `bot.toml` says how to build it and how to run it.

```toml
name = "mine"
command = "ruby mine.rb"
build = "make"          # optional: run in the folder, once, before the first match
protocol = "text"       # optional: a wire of the game, or "json"
directory = "bot"       # optional: it works in a copy of its folder, not in an empty one
end = "now"             # optional: it may be killed as soon as a match is over
games = "many"          # optional: a process plays match after match

[parameters.w]          # optional: `mine:w=5` puts 5 for {w} into the command
type = "int"
default = 3
```
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen, validators

from arena.host.declared_parameters import (
    PARAMETER_NAME,
    ParameterDeclaration,
    ParameterValue,
    format_value,
    resolve_parameters,
)
from arena.host.machine_limits import MachineError
from arena.plugins import JSON
from arena.rules import UserError
from arena.sandbox import HOST_ERRNOS
from arena.wires import read, read_toml, to_printable

BOT_FILE = "bot.toml"
"""What a folder with a bot has in it."""

NAME_PATTERN = "[A-Za-z0-9_]{1,32}"
"""What entrants may be called, as a regular expression."""

FOLDER_PLACEHOLDER = "folder"  # `{folder}` in a command is the bot's own
PARAMETER_NAME_RULE = (
    f"use lowercase letters, digits and underscores, a letter first, and not {FOLDER_PLACEHOLDER!r}"
)
EMPTY_DIRECTORY, BOT_DIRECTORY = "empty", "bot"  # where its program works
ONE_GAME, MANY_GAMES = "one", "many"  # how many matches a process plays
END_WITH_GRACE, END_NOW = "grace", "now"  # how its program ends when a match is over
MAX_COMMAND_LENGTH = 4000  # characters of a command line, parameters filled in; more is a script's


class BotError(UserError):
    """A bot that cannot take part; the text says why, in one line.

    A stranger has named the files that it may name, so it is made fit for a terminal.
    """

    def __init__(self, text: str) -> None:
        super().__init__(to_printable(text))


@contextmanager
def blame_bot(folder: Path, failure: str = "cannot be read") -> Iterator[None]:
    """Raise errors of the system at what is in a bot's folder as errors of the bot.

    Whoever enters a folder decides what is in it, so whatever it is, is the bot's fault.

    Args:
        folder: what errors call the folder.
        failure: what errors say of it.

    Raises:
        BotError: where it is the bot's fault.
        MachineError: where the machine lacks something, or its disk fails.
    """
    try:
        yield
    except OSError as problem:
        kind = MachineError if problem.errno in HOST_ERRNOS else BotError
        named = Path(str(problem.filename or "")).name
        what = f"{named!a}: " if named not in ("", folder.name) else ""
        raise kind(f"{to_printable(str(folder))} {failure}: {what}{problem.strerror}") from None


@frozen
class BotFile:
    """What a `bot.toml` says.

    `name` is what the bot is called, `command` starts it, `build` is run once before. It
    speaks the wire `protocol` (None: the game's first), works in the `directory` that is
    meant, an empty one or a copy of its own, and has these `parameters`. At the `end` of a match
    its program has time to end by itself, or is killed now. A process plays one of the `games`, or
    many, in JSON lines.
    """

    name: str = field(validator=validators.matches_re(NAME_PATTERN))
    command: str | tuple[str, ...]
    build: str | None = None
    protocol: str | None = None
    directory: str = field(
        default=EMPTY_DIRECTORY, validator=validators.in_([EMPTY_DIRECTORY, BOT_DIRECTORY])
    )
    end: str = field(default=END_WITH_GRACE, validator=validators.in_([END_WITH_GRACE, END_NOW]))
    games: str = field(default=ONE_GAME, validator=validators.in_([ONE_GAME, MANY_GAMES]))
    parameters: Mapping[str, ParameterDeclaration] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """See that commands can be run, and that each parameter has a name and is handed over."""
        check_command(self.command_line, "command")
        check_command(self.build or "", "build")
        if self.games == MANY_GAMES and self.directory == BOT_DIRECTORY:
            raise ValueError(
                f'games: cannot be "{MANY_GAMES}" where directory is "{BOT_DIRECTORY}", a new copy'
                " of the folder for each match"
            )
        for name in self.parameters:
            self._check_parameter_name(name)

    def _check_parameter_name(self, name: str) -> None:
        if name == FOLDER_PLACEHOLDER or not re.fullmatch(PARAMETER_NAME, name):
            raise ValueError(f"parameters.{name}: not a valid name; {PARAMETER_NAME_RULE}")
        if f"{{{name}}}" not in self.command_line:
            raise ValueError(f"parameters.{name}: not used by the command; write {{{name}}} there")

    @property
    def command_line(self) -> str:
        """Return the command as one line, as a shell would read it."""
        return self.command if isinstance(self.command, str) else shlex.join(self.command)


def check_command(line: str, key: str) -> None:
    """Raise ValueError for a command line that no system would start."""
    if "\0" in line:
        raise ValueError(f"{key}: contains a NUL byte, which a command line cannot have")
    if len(line) > MAX_COMMAND_LENGTH:
        raise ValueError(
            f"{key}: longer than {MAX_COMMAND_LENGTH} characters; put it into a script"
        )


def load_bot_file(folder: Path) -> BotFile:
    """Read a folder's file.

    Raises:
        BotError: with all that is wrong in it.
        MachineError: where the machine fails to read it, which says nothing about the bot.
    """
    path = folder / BOT_FILE
    try:
        with blame_bot(path):
            if path.is_symlink():
                raise BotError(
                    f"{path}: a symbolic link, which is not followed; replace it by the file itself"
                )
            if not path.is_file():  # a pipe would never end
                raise BotError(f"{folder}: this folder has no {BOT_FILE}")
            return read(read_toml(path, follow=False), BotFile)
    except ValueError as problem:  # no UTF-8, no TOML, or not what a bot needs
        raise BotError(f"{path}: {problem}") from None


def parse_bot_parameters(folder: Path, file: BotFile, given: str) -> dict[str, ParameterValue]:
    """Return the values of a bot's parameters, `NAME=VALUE,...` being given; raise BotError."""
    try:
        return resolve_parameters(file.parameters, given)
    except UserError as problem:
        raise BotError(f"{folder / BOT_FILE}: {problem}") from None


def read_bot_folder(
    protocols: Sequence[str], text: str, home: Path, given: str
) -> tuple[BotFile, str | None, Mapping[str, str]]:
    """Return a bot's file, its protocol, and the values of its parameters as texts.

    Args:
        protocols: the wires of the game.
        text: what named the bot.
        home: its folder.
        given: the parameters in that text.

    Raises:
        BotError: with what is wrong in the file, or in the parameters.
    """
    file = load_bot_file(home)
    protocol = JSON if text.startswith(f"{JSON}:") else file.protocol
    _check_protocol(home / BOT_FILE, file, protocol, protocols)
    values = parse_bot_parameters(home, file, given)
    return file, protocol, {name: format_value(value) for name, value in values.items()}


def _check_protocol(
    path: Path, file: BotFile, protocol: str | None, protocols: Sequence[str]
) -> None:
    """Raise BotError unless the game has the protocol, and it can carry many matches if it must."""
    if protocol not in (None, *protocols):
        known = ", ".join(protocols)
        raise BotError(f"{path}: unknown protocol {protocol!r} (available: {known})")
    if file.games == MANY_GAMES and (protocol or protocols[0]) != JSON:
        raise BotError(
            f'{path}: games = "{MANY_GAMES}" needs protocol = "{JSON}": in the protocol'
            f" {protocol or protocols[0]!r} a match ends with the end of input"
        )
