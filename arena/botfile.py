"""A folder that holds a bot: its `bot.toml` says how to build it and how to run it.

```toml
name = "mine"
command = "ruby mine.rb"
build = "make"          # optional: run in the folder, once, before the first match
protocol = "text"       # optional: a wire of the game, or "json"
```
"""

from __future__ import annotations

import shlex
import subprocess
import tomllib
from pathlib import Path

from attrs import field, frozen, validators

from arena.converter import read
from arena.errors import Refusal

FILE = "bot.toml"
NAME = "[A-Za-z0-9_]{1,32}"


class BadBot(Refusal):
    """A bot that cannot take part; the text says why, in one line."""


class Unbuilt(BadBot):
    """A bot whose build command fails."""


@frozen
class BotFile:
    """What a `bot.toml` says."""

    name: str = field(validator=validators.matches_re(NAME))
    command: str
    build: str | None = None
    protocol: str | None = None


def load(folder: Path) -> BotFile:
    """Read a folder's file; raise BadBot with all that is wrong in it."""
    path = folder / FILE
    try:
        return read(tomllib.loads(path.read_text("utf-8")), BotFile)
    except OSError as problem:
        raise BadBot(f"{path}: {problem.strerror}") from None
    except ValueError as problem:  # no UTF-8, no TOML, or not what a bot needs
        raise BadBot(f"{path}: {problem}") from None


def build(folder: Path, command: str) -> None:
    """Run a bot's build command in its folder; raise Unbuilt with the last it said."""
    try:
        done = subprocess.run(
            shlex.split(command), cwd=folder, stdin=subprocess.DEVNULL, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except (OSError, ValueError) as problem:
        raise Unbuilt(f"{folder}: build {command!r}: {problem}") from None
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip().splitlines()
        why = next((line for line in said if "error" in line.lower()), said[-1] if said else "")
        raise Unbuilt(f"{folder}: build {command!r} gave exit status {done.returncode}: {why}")
