"""The languages for bots on this machine, found by asking each program for its version.

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

from arena.host import run_in_sandbox
from arena.sandbox import AUTO, Sandbox, find_sandbox
from arena_hill.hill import Hill

STDERR_WRAPPER = ("/bin/sh", "-c", 'exec "$@" >&2', "sh")
ANSWER_SECONDS = 20.0
MAX_VERSION_LENGTH = 100  # characters
LANGUAGE_PROGRAMS = {
    "Python": "python3",
    "JavaScript": "node",
    "Ruby": "ruby",
    "Perl": "perl",
    "Lua": "lua -v",
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
"""Languages with the programs that run or compile them, and their version option."""


@frozen
class InstalledLanguage:
    """An installed language."""

    name: str
    program: str
    version: str


def find_bot_languages(hill: Hill) -> tuple[InstalledLanguage, ...]:
    """Return the languages that work for bots on a hill."""
    return find_languages(find_sandbox(AUTO, hill.spec.file.resources))


@cache
def find_languages(sandbox: Sandbox | None) -> tuple[InstalledLanguage, ...]:
    """Return the languages that work in this sandbox, or (None) without a sandbox.

    It is slow the first time, and then kept.
    """
    languages = []
    for name, words in LANGUAGE_PROGRAMS.items():
        program, _, option = words.partition(" ")
        if version := _read_version(program, option or "--version", sandbox):
            languages.append(InstalledLanguage(name, program, version))
    return tuple(languages)


def _read_version(program: str, option: str, sandbox: Sandbox | None) -> str:
    """Return the version line that a program prints; "" if bots cannot start it."""
    path = shutil.which(program)
    if path is None:
        return ""
    words = (*STDERR_WRAPPER, path, option)
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        try:
            result = run_in_sandbox(words, Path(folder), sandbox, ANSWER_SECONDS)
        except OSError:
            return ""
    return "" if result.problem else find_version_line(result.stderr)


def find_version_line(text: str) -> str:
    """Return the line of a text that contains a version, shortened.

    >>> find_version_line("This is" + chr(10) + "perl 5, version 36")
    'perl 5, version 36'
    """
    with_figures = (line.strip() for line in text.splitlines() if re.search(r"[0-9]", line))
    return next(with_figures, "")[:MAX_VERSION_LENGTH]
