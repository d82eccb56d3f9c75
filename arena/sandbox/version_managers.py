"""Version managers, such as pyenv, rbenv and rustup, whose shims start another program.

A shim chooses a version each time it is started, which takes a script longer than the program
needs to start. So the host asks the manager once, and starts the chosen program itself.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

VERSION_FILES = (
    ".python-version", ".ruby-version", ".node-version", ".tool-versions", "mise.toml",
    "rust-toolchain", "rust-toolchain.toml",
)  # fmt: skip
"""Files by which a folder chooses the version of the programs that are started in it."""


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
