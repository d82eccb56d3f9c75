"""A folder that holds a bot: its `bot.toml` says how to build it and how to run it.

```toml
name = "mine"
title = "Zoë's bot"     # optional: what tables and pages call it
command = "ruby mine.rb"
build = "make"          # optional: run in the folder, once, before the first match
protocol = "text"       # optional: a wire of the game, or "json"
directory = "bot"       # optional: it works in a copy of its folder, not in an empty one
end = "now"             # optional: it may be killed as soon as a match is over
games = "many"          # optional: a process plays match after match

[parameters.w]          # optional: `mine:w=5` puts 5 for {w} into the command
type = "int"
min = 0                 # optional, as max
max = 9
default = 3
```

Its parameters have a type, a default, and perhaps a range or choices.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import Attribute, field, frozen, validators

from arena.host.shortages import MachineError
from arena.plugins import JSON, ParameterError
from arena.rules import UnknownNameError, UserError, abbreviate, describe_number
from arena.sandbox import HOST_ERRNOS
from arena.wires import TYPE_DESCRIPTIONS, build_strict_hook, is_blank, read, to_printable

BOT_FILE = "bot.toml"
"""What a folder with a bot has in it."""

NAME_PATTERN = "[A-Za-z0-9_]{1,32}"
"""What entrants may be called, as a regular expression."""

MAX_TITLE_LENGTH = 40  # characters of what tables and pages call an entrant
FOLDER_PLACEHOLDER = "folder"  # `{folder}` in a command is the bot's own
PARAMETER_NAME = r"[a-z][a-z0-9_]*"
PARAMETER_NAME_RULE = (
    f"use lowercase letters, digits and underscores, a letter first, and not {FOLDER_PLACEHOLDER!r}"
)
EMPTY_DIRECTORY, BOT_DIRECTORY = "empty", "bot"  # where its program works
ONE_GAME, MANY_GAMES = "one", "many"  # how many matches a process plays
END_WITH_GRACE, END_NOW = "grace", "now"  # how its program ends when a match is over
MAX_COMMAND_LENGTH = 4000  # characters of a command line, parameters filled in; more is a script's


def check_title(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text can stand for an entrant's name in tables and on pages."""
    if not 0 < len(value) <= MAX_TITLE_LENGTH:
        raise ValueError(
            f"{key.name}: {len(value)} characters (1 to {MAX_TITLE_LENGTH} are allowed)"
        )
    if value.strip() != value or to_printable(value) != value:
        raise ValueError(
            f"{key.name}: {to_printable(value)!r} begins or ends with a space, or contains control"
            " or bidirectional characters"
        )
    if is_blank(value):
        raise ValueError(f"{key.name}: {value!a} shows nothing; use letters, digits or symbols")


@frozen
class BotFile:
    """What a `bot.toml` says.

    `name` is what the bot is called, `title` what tables and pages call it instead. `command`
    starts it, `build` is run once before. It speaks the wire `protocol` (None: the game's first),
    works in the `directory` that is meant, an empty one or a copy of its own, and has these
    `parameters`. At the `end` of a match its program has time to end by itself, or is killed now. A
    process plays one of the `games`, or many, in JSON lines.
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
    title: str | None = field(default=None, validator=validators.optional(check_title))

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
    from arena.files import read_toml  # here: most matches start without folders of bots

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
    return file, protocol, {name: format_command_word(value) for name, value in values.items()}


def parse_bot_parameters(folder: Path, file: BotFile, given: str) -> dict[str, ParameterValue]:
    """Return the values of a bot's parameters, `NAME=VALUE,...` being given; raise BotError."""
    try:
        return resolve_parameters(file.parameters, given)
    except UserError as problem:
        raise BotError(f"{folder / BOT_FILE}: {problem}") from None


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


ParameterValue = bool | int | float | str
PARAMETER_TYPES = {"int": int, "float": float, "bool": bool, "str": str}
MAX_INT_BITS = 63  # as most languages have them; Python itself cannot write very long ones


@frozen
class ParameterDeclaration:
    """A parameter: numbers may have a range, texts may be one of some choices."""

    type: str = field(validator=validators.in_([*PARAMETER_TYPES]))
    default: Any
    min: Any = None
    max: Any = None
    choices: Any = None  # a list

    def __attrs_post_init__(self) -> None:
        """Raise ValueError where it does not fit together."""
        kind = PARAMETER_TYPES[self.type]
        if kind not in (int, float) and (self.min, self.max) != (None, None):
            raise ValueError(f"min and max are for int and float, not for {self.type}")
        if kind is not str and self.choices is not None:
            raise ValueError(f"choices are for str, not for {self.type}")
        for bound in (self.min, self.max):
            if bound is not None:
                _check_type(bound, kind)
        if not isinstance(self.choices, list | tuple | None):
            raise ValueError(f"choices: {abbreviate(self.choices)} is not a list")  # noqa: TRY004
        for choice in self.choices or ():
            _check_type(choice, kind)
        try:
            self.validate(self.default)
        except ValueError as problem:
            raise ValueError(f"default: {problem}") from None

    @property
    def allowed_values(self) -> str:
        """The values that are allowed, in words."""
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        return describe_number(TYPE_DESCRIPTIONS[PARAMETER_TYPES[self.type]], self.min, self.max)

    def validate(self, value: ParameterValue) -> ParameterValue:
        """Return the value, if it may have it; raise ValueError that says which it may have."""
        try:
            value = _check_type(value, PARAMETER_TYPES[self.type])
        except ValueError:
            raise ValueError(f"{abbreviate(value)} is not {self.allowed_values}") from None
        too_small = self.min is not None and value < self.min
        too_large = self.max is not None and value > self.max
        no_choice = self.choices is not None and value not in self.choices
        if too_small or too_large or no_choice:
            raise ValueError(f"{abbreviate(value)} is not {self.allowed_values}")
        return value

    def parse(self, text: str) -> ParameterValue:
        """Read a value as a command line names it: numbers, `true` and `false` as JSON does."""
        if self.type == "str":
            return self.validate(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{abbreviate(text)} is not {self.allowed_values}") from None
        return self.validate(value)


def resolve_parameters(
    declarations: Mapping[str, ParameterDeclaration], given: str
) -> dict[str, ParameterValue]:
    """Read `NAME=VALUE,...`; return the values of all parameters, or raise a UserError."""
    values = {name: declaration.default for name, declaration in declarations.items()}
    for text in given.split(",") if given else ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"{text!r} is not of the form NAME=VALUE")
        if name not in declarations:
            raise UnknownNameError("parameter", name, declarations)
        try:
            values[name] = declarations[name].parse(value)
        except ValueError as problem:
            raise ParameterError(f"{name}: {problem}") from None
    return values


def format_command_word(value: ParameterValue) -> str:
    """Return a value as a word of a command line.

    >>> [format_command_word(value) for value in (True, 3, 0.5, "a b")]
    ['true', '3', '0.5', 'a b']
    """
    return value if isinstance(value, str) else json.dumps(value)


def _check_type(value: Any, kind: type) -> Any:
    try:
        read = build_strict_hook(kind)(value, kind)
        fits = _is_word(read)
    except OverflowError:  # a whole number that no float is as large as
        fits = False
    if not fits:
        raise ValueError(f"{abbreviate(value)} is not {TYPE_DESCRIPTIONS[kind]}")
    return read


def _is_word(value: ParameterValue) -> bool:
    """Whether a value can be written as a word of a command line."""
    if isinstance(value, str):
        return "\0" not in value
    return value.bit_length() <= MAX_INT_BITS if isinstance(value, int) else math.isfinite(value)
