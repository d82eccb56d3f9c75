"""What is installed on this machine for bots: found by asking each program for its version."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

from attrs import frozen

from arena.sandbox import PATHS

PATIENCE = 20  # seconds for an answer
BARE = {"PATH": PATHS, "LC_ALL": "C", "HOME": "/"}  # nothing of the host's own
LONGEST = 100  # characters of it
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
def languages() -> tuple[Language, ...]:
    """Return what bots can be written in here; slow the first time, and then kept."""
    found = []
    for name, words in KNOWN.items():
        program, _, asks = words.partition(" ")
        if version := _version(program, asks or "--version"):
            found.append(Language(name, program, version))
    return tuple(found)


def _version(program: str, asks: str) -> str:
    """Return what a program says of its version, in a line; nothing where it is not there."""
    path = shutil.which(program, path=PATHS)
    if path is None:
        return ""
    try:
        done = subprocess.run(
            [path, asks], env=BARE, check=False, timeout=PATIENCE,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told(done.stdout.decode(errors="replace"))


def told(text: str) -> str:
    """Return the line of a text that has a version, as far as it is shown.

    >>> told("This is" + chr(10) + "perl 5, version 36")
    'perl 5, version 36'
    """
    with_figures = (line.strip() for line in text.splitlines() if re.search(r"[0-9]", line))
    return next(with_figures, "")[:LONGEST]
