"""What bots can be written in on this machine, found by asking each program for its version.

It is looked for where a bot's command is, and started as a bot is, in its sandbox: what a bot could
not start is not listed, whatever is installed.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from attrs import frozen

from arena.host import run_contained
from arena.sandbox import Sandbox

ALL_TO_STDERR = ("/bin/sh", "-c", 'exec "$@" >&2', "sh")
ANSWER_SECONDS = 20.0
MAX_VERSION_LENGTH = 100  # characters
KNOWN = {
    "Python": "python3",
    "JavaScript": "node",
    "Ruby": "ruby",
    "Perl": "perl",
    "Lua": "lua",
    "PHP": "php",
    "Bash": "bash",
    "C": "gcc",
    "C++": "g++",
    "Rust": "rustc",
    "Go": "go version",
    "Java": "java",
    "C#": "dotnet",
    "Haskell": "ghc",
    "OCaml": "ocaml",
    "Make": "make",
}
"""Languages, and what runs or compiles them; with the word that asks for a version, if another."""


@frozen
class Language:
    """A language that is there."""

    name: str
    program: str
    version: str


@cache
def languages(sandbox: Sandbox | None) -> tuple[Language, ...]:
    """Return what bots can be written in that play in this sandbox, or (None) without one.

    It is slow the first time, and then kept.
    """
    found = []
    for name, words in KNOWN.items():
        program, _, asks = words.partition(" ")
        if version := _version(program, asks or "--version", sandbox):
            found.append(Language(name, program, version))
    return tuple(found)


def _version(program: str, asks: str, sandbox: Sandbox | None) -> str:
    """Return what a program says of its version, in a line; nothing where no bot can start it."""
    path = shutil.which(program)
    if path is None:
        return ""
    words = (*ALL_TO_STDERR, path, asks)
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        try:
            ran = run_contained(words, Path(folder), sandbox, ANSWER_SECONDS)
        except OSError:
            return ""
    return "" if ran.why else told(ran.said)


def told(text: str) -> str:
    """Return the line of a text that has a version, as far as it is shown.

    >>> told("This is" + chr(10) + "perl 5, version 36")
    'perl 5, version 36'
    """
    with_figures = (line.strip() for line in text.splitlines() if re.search(r"[0-9]", line))
    return next(with_figures, "")[:MAX_VERSION_LENGTH]
