"""What the host has installed: the folders that programs in sandboxes may read, and shims.

A shim of a version manager, such as pyenv, rbenv or rustup, chooses a version each time it is
started, which takes a script longer than the program needs to start. So the host asks the manager
once, and starts the chosen program itself.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.sandbox.bubblewrap import SYSTEM_PATHS

VERSION_FILES = (
    ".python-version", ".ruby-version", ".node-version", ".tool-versions", "mise.toml",
    "rust-toolchain", "rust-toolchain.toml",
)  # fmt: skip
"""Files by which a folder chooses the version of the programs that are started in it."""


def find_readable_folder(path: Path) -> str:
    """Return the folder with this path in it that programs in sandboxes can read, or ""."""
    real = os.path.realpath(path)
    folders = _list_readable_folders(tuple(os.get_exec_path()))
    return next((folder for folder in folders if _is_within(real, [os.path.realpath(folder)])), "")


@cache
def _list_readable_folders(path_variable: tuple[str, ...]) -> tuple[str, ...]:
    """Return all that some command line can have a sandbox read beside the bot's own files.

    That is the system, and each installation of a program that the host finds by its name. What a
    version manager would choose is left out: asking for each of its shims takes seconds.
    """
    programs = [sys.executable, *_iter_programs(path_variable)]
    installed = (path for program in programs for path in _iter_installations(program))
    return tuple(dict.fromkeys([*SYSTEM_PATHS, *installed]))


def _iter_programs(path_variable: Iterable[str]) -> Iterator[str]:
    """Yield the programs that the host finds by their names, without version managers' shims."""
    for folder in path_variable:
        if not os.path.isabs(folder):
            continue
        with suppress(OSError), os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if find_manager(Path(entry.path)) is None)


def find_interpreters(words: Sequence[str]) -> list[str]:
    """Return the installations outside the system's folders that a command needs to read.

    That is what the host itself has installed, and its command finds: no more than the
    installation around each link on the way to it, and never a home.
    """
    programs = filter(_is_found_by_host, words)
    return [*dict.fromkeys(path for program in programs for path in _iter_installations(program))]


def is_own(word: str) -> bool:
    """Return whether a file is outside the system's folders and installed interpreters."""
    is_file = os.path.isabs(word) and os.path.isfile(word)
    return is_file and not _is_within(word, (*SYSTEM_PATHS, *find_interpreters([word])))


def resolve_program(word: str) -> str:
    """Return the program behind a shim of the host's version manager, or the word itself.

    The manager is asked outside the sandbox, and stands beside the shim: a shim that a bot has
    brought must not choose what the host starts.
    """
    return resolve_shim(word) if _is_found_by_host(word) else word


def _is_found_by_host(word: str) -> bool:
    """Return whether a word is the host's own interpreter, or a program that it finds by name."""
    if word == sys.executable:
        return True
    return os.path.isabs(word) and shutil.which(os.path.basename(word)) == word


def _iter_installations(program: str) -> Iterator[str]:
    if program == sys.executable:
        yield from (prefix for prefix in (sys.prefix, sys.base_prefix) if prefix != "/usr")
        yield from find_packages()
    path = resolve_shim(program)
    while True:
        installed = Path(path).parent.parent
        if Path(path).parent.name == "bin" and _is_installation(installed):
            yield str(installed)
        elif not _is_within(path, SYSTEM_PATHS):
            yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def _is_installation(folder: Path) -> bool:
    """Return whether a folder is that of a single installation."""
    home = Path.home()
    mixed = folder in (Path("/"), Path("/usr"), Path("/usr/local"), home, home / ".local")
    return not mixed and ((folder / "lib").is_dir() or (folder / "pyvenv.cfg").is_file())


@cache
def find_packages() -> tuple[str, ...]:
    """Return the packages of arena and its plugins that lie outside the installation's prefix."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    names = {"arena", *(point.module.partition(".")[0] for point in entry_points(group="arena"))}
    specs = [find_spec(name) for name in sorted(names)]
    folders = [str(Path(spec.origin).parent) for spec in specs if spec and spec.origin]
    return tuple(folder for folder in folders if not folder.startswith(f"{sys.prefix}/"))


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


@cache
def resolve_shim(program: str) -> str:
    """Return the program that a version manager's script would start, outside any bot's folder.

    The manager, which is found beside the script, is run by the host: the script has to be trusted.
    """
    manager = find_manager(Path(program))
    if manager is None:
        return program
    import subprocess

    words = [str(manager), "which", Path(program).name]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")
    return done.stdout.strip() or program


def resolve_shim_in(program: str, folder: Path | None) -> str:
    """Return the program that a shim would start in a folder; the shim if the folder chooses."""
    if find_manager(Path(program)) is None:
        return program
    if folder and any(os.path.lexists(folder / name) for name in VERSION_FILES):
        return program
    return resolve_shim(program)


def find_manager(program: Path) -> Path | None:
    """Return the version manager, such as pyenv or rustup, that a script belongs to."""
    folder = program.parent
    if folder.name == "shims":
        manager = folder.parent / "bin" / folder.parent.name.removeprefix(".")  # of ~/.pyenv
        return manager if manager.is_file() else None
    rustup = folder / "rustup"
    # a word of a command may be no path at all, and too long for one
    is_rustup = os.path.isfile(rustup) and os.path.isfile(program) and rustup.samefile(program)
    return rustup if is_rustup and program != rustup else None
