"""A new game: a distribution with rules, a wire, bots and tests, which works as it is."""

from __future__ import annotations

import keyword
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from arena.plugins import plugins
from arena.rules import DISTRIBUTION, UserError
from arena.scaffold.writing import filled, write

NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_NAME = 32  # characters


def new_game(name: str, into: Path) -> list[Path]:
    """Write a game of this name into a folder of this name; return its files, or refuse."""
    _check(name)
    words = name.split("_")
    release = ".".join(version(DISTRIBUTION).split(".")[:2])
    texts = filled(
        "game",
        {
            "name": name,
            "Name": "".join(map(str.capitalize, words)),
            "title": " ".join(words).capitalize(),
            "package": package(name),
            "distribution": "-".join(["arena", *words]),
            "version": release,
        },
    )
    return write(into / name, texts)


def package(name: str) -> str:
    """Return the name of the Python package of a game."""
    return f"arena_{name}"


def _check(name: str) -> None:
    """Refuse a name that no new game can have."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UserError(
            f"{name!r} cannot be the name of a game: small letters, digits and single"
            f" underscores between them, a letter first, {LONGEST_NAME} at most"
        )
    if keyword.iskeyword(name):
        raise UserError(f"{name!r} is a word of Python's own; choose another name")
    if name in plugins().games:
        raise UserError(f"there is a game {name!r} already; choose another name")
    if find_spec(package(name)):
        raise UserError(f"there is a package {package(name)!r} already; choose another name")
