"""Command lines of bots: split, filled in, and their program located, or the bot is unknown."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from arena.host.bot_file import BOT_FILE, FOLDER_PLACEHOLDER, MAX_COMMAND_LENGTH, BotError
from arena.plugins import Game
from arena.rules import UnknownNameError


def split_command(line: str) -> tuple[str, ...]:
    """Split a command line into its words, as a shell would; raise BotError."""
    try:
        return tuple(shlex.split(line))
    except ValueError as problem:
        raise BotError(f"{line!r} is not a command line: {problem}") from None


def prefer_path(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command with the program that the path of programs gives it, if there is one.

    As in a shell, `python3` is not a file of that name in the current folder, which may be a
    stranger's; `./python3` is.
    """
    program = shutil.which(words[0]) if words else None
    return (program, *words[1:]) if program else words


PLACEHOLDER = re.compile(r"\{(\w+)\}")  # of a parameter, or of the bot's folder


def fill_placeholders(
    words: tuple[str, ...], values: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Put values where the words name them, such as `{w}`, and the home for `{folder}`.

    >>> command = ("awk", "{print}", "{w}{w}", "{folder}/data")
    >>> fill_placeholders(command, {"w": "3"}, Path("/bots/mine"))
    ('awk', '{print}', '33', '/bots/mine/data')
    """
    known = {**values, FOLDER_PLACEHOLDER: str(home)}
    named = (values.get(name, "") for word in words for name in PLACEHOLDER.findall(word))
    if sum(map(len, named)) > MAX_COMMAND_LENGTH:  # before it takes up the host's memory
        raise BotError(f"the parameters expand to more than {MAX_COMMAND_LENGTH} characters")
    return tuple(
        PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), word) for word in words
    )


def resolve_program(game: Game, text: str, words: tuple[str, ...], home: Path) -> tuple[str, ...]:
    """Find the program; words that name a file of `home` become absolute.

    A program runs in a folder of its own, where these would not be found.
    """
    if not words:
        raise BotError("the command line is empty")
    rest = [str(home / word) if os.path.isfile(home / word) else word for word in words[1:]]
    return (*(_find_program(home, words[0]) or _raise_unknown_bot(game, words[0], text)), *rest)


def _find_program(home: Path, word: str) -> tuple[str, ...]:
    """Return the words that start a program: a file in `home`, or a command on the path."""
    path = home / word
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return (str(path),)
    found = None if os.sep in word else shutil.which(word)
    if found:
        return (found,)
    return build_run_command(path) if os.path.isfile(path) else ()


def _raise_unknown_bot(game: Game, word: str, text: str) -> NoReturn:
    """Raise the error for a text that is no bot: no such file, or all that a bot may be."""
    if word == text and (os.sep in word or Path(word).suffix in INTERPRETERS):
        raise BotError(f"{word}: no such file")
    if word == text:
        known = [*game.bots, "a program", f"a folder with a {BOT_FILE}", "a quoted command line"]
        raise UnknownNameError("bot", word, known)
    raise BotError(f"{text!r}: program {word!r} not found")


INTERPRETERS = {
    ".py": sys.executable, ".sh": "bash", ".pl": "perl", ".rb": "ruby",
    ".js": "node", ".mjs": "node", ".lua": "lua", ".php": "php",
}  # fmt: skip


def build_run_command(path: Path) -> tuple[str, ...]:
    """Return the command that runs a file: itself, or its interpreter."""
    if os.access(path, os.X_OK):
        return (str(path),)
    interpreter = INTERPRETERS.get(path.suffix)
    if interpreter is None:
        known = ", ".join(INTERPRETERS)
        raise BotError(f"{path.name} is not executable, and its suffix is none of {known}")
    if shutil.which(interpreter) is None:
        raise BotError(f"{path.name} needs {interpreter}, which is not installed")
    return (interpreter, str(path))
