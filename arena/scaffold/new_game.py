"""A new game: a distribution with rules, a wire, bots and tests, which works as it is."""

from __future__ import annotations

import keyword
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from arena.distribution import DISTRIBUTION
from arena.plugins import get_plugins
from arena.rules import UserError
from arena.scaffold.template_files import render_template, write_files

NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")
MAX_NAME_LENGTH = 32  # characters


def new_game(name: str, into: Path) -> list[Path]:
    """Write a game of this name into a folder of this name; return its files, or refuse."""
    _check_name(name)
    words = name.split("_")
    release = ".".join(version(DISTRIBUTION).split(".")[:2])
    texts = render_template(
        "game",
        {
            "name": name,
            "Name": "".join(map(str.capitalize, words)),
            "title": " ".join(words).capitalize(),
            "package": format_package_name(name),
            "distribution": format_distribution_name(name),
            "version": release,
        },
    )
    return write_files(into / name, texts)


def format_package_name(name: str) -> str:
    """Return the name of the Python package of a game."""
    return f"arena_{name}"


def format_distribution_name(name: str) -> str:
    """Return the name by which pip knows a game."""
    return "-".join(["arena", *name.split("_")])


def _check_name(name: str) -> None:
    """Refuse a name that no new game can have."""
    if not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        raise UserError(
            f"{name!r} cannot be the name of a game: use lowercase letters, digits and single"
            f" underscores between them, a letter first, at most {MAX_NAME_LENGTH} characters"
        )
    if keyword.iskeyword(name):
        raise UserError(f"{name!r} is a Python keyword; choose another name")
    if name in get_plugins().games:
        raise UserError(f"a game {name!r} already exists; choose another name")
    package = format_package_name(name)
    if find_spec(package):
        raise UserError(f"a package {package!r} already exists; choose another name")
