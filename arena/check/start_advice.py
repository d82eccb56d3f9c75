"""Advice on programs whose bare start takes long, before the bot itself has done anything.

A start is paid in each match. What is told here was measured to double it at least, and each
line says what to write instead.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.sandbox import find_manager

CERTIFICATES_VARIABLE = "NODE_EXTRA_CA_CERTS"
PYTHON_NAME = re.compile(r"python[0-9.]*")
RUBY_NAME = re.compile(r"ruby[0-9.]*")
GEMS_OPTIONS = ("--disable-gems", "--disable=gems", "--disable-all", "--disable=all")
SITE_FOLDERS = ("lib/python3*/site-packages", "lib/python3/dist-packages")
LANGUAGE_PROGRAMS = ("python3", "ruby", "node")  # whose starts can be slow
OWN_LINES = ("distutils-precedence.pth", "_virtualenv.pth")  # import next to nothing


def advise_on_bot(factory: object) -> Iterator[str]:
    """Yield a line for each reason why a bot's program starts slowly."""
    build_words = getattr(factory, "build_words", None)  # it works in a copy of its folder
    words = build_words(getattr(factory, "home", None)) if build_words else None
    if words := words or getattr(factory, "words", None):
        yield from advise_on_command(words, chooses_version=build_words is not None)


def advise_on_command(words: Sequence[str], *, chooses_version: bool = False) -> Iterator[str]:
    """Yield a line for each reason why a command starts slowly.

    Args:
        words: its command line.
        chooses_version: whether a version manager has to be asked in each match.
    """
    program = Path(words[0])
    if chooses_version and (manager := find_manager(program)):
        yield (
            f"{program} is a script of {manager.name}, which chooses a version at each start:"
            f" write the path that `{manager.name} which {program.name}` prints"
        )
    if RUBY_NAME.fullmatch(program.name) and not {*words} & {*GEMS_OPTIONS}:
        yield (
            "Ruby loads its package manager at each start: write `ruby --disable-gems` unless"
            " the bot uses gems"
        )
    if program.name == "java" and any(word.endswith(".java") for word in words):
        yield (
            "Java compiles the bot at each start: put `javac` into `build`, and start the class"
            " (`java -cp {folder} Bot`)"
        )
    if program.name == "node":
        yield from _advise_on_certificates()
    if PYTHON_NAME.fullmatch(program.name) and words[0] != sys.executable and "-S" not in words:
        yield from advise_on_python(program)


def _advise_on_certificates() -> Iterator[str]:
    if os.environ.get(CERTIFICATES_VARIABLE):
        yield (
            f"{CERTIFICATES_VARIABLE} is set, and Node reads these certificates at each start:"
            f" run `env -u {CERTIFICATES_VARIABLE} arena ...`"
        )


def advise_on_python(program: Path) -> Iterator[str]:
    """Yield a line if files of a Python installation import modules at each start."""
    if found := _find_importing_files(program.absolute().parent.parent):
        yield (
            f"{program} imports what {', '.join(found)} in its site-packages name"
            f"{'s' * (len(found) == 1)} at each start: give the bots an environment without, or"
            f" write `{program.name} -S` for a bot that needs no packages"
        )


def _find_importing_files(prefix: Path) -> list[str]:
    """Return the names of path files (.pth) of an installation that import modules."""
    return [
        path.name
        for pattern in SITE_FOLDERS
        for path in sorted(prefix.glob(f"{pattern}/*.pth"))
        if path.name not in OWN_LINES and _imports_modules(path)
    ]


def _imports_modules(path: Path) -> bool:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)


def advise_on_machine() -> Iterator[str]:
    """Yield a line for each reason why bots start slowly on this machine."""
    programs = dict.fromkeys([sys.executable, *filter(None, map(shutil.which, LANGUAGE_PROGRAMS))])
    for program in map(Path, programs):
        if manager := find_manager(program):
            yield (
                f"{program} is a script of {manager.name}. The arena asks {manager.name} once and"
                " starts the chosen program itself; a bot that starts it pays for each start"
            )
        elif PYTHON_NAME.fullmatch(program.name):
            yield from advise_on_python(program)
        elif program.name == "node":
            yield from _advise_on_certificates()
