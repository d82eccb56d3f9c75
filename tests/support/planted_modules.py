"""Files in a stranger's folder that leave a mark when the host imports or starts them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path

from attrs import frozen

MODULE = """
import os, sys
try:
    with open({mark!r}, "a") as file:
        print(__name__, os.getpid(), *sys.orig_argv, file=file)
except OSError:  # in a sandbox
    pass
path = sys.path[:]
sys.path[:] = [entry for entry in path if entry not in ("", {folder!r})]
del sys.modules[__name__]
__import__(__name__)  # the true one, so that what imports it goes on
sys.path[:] = path
"""
PROGRAM = '#!/bin/sh\necho "${{0##*/}} $$ $*" >> {mark}\nexec "/usr/bin/${{0##*/}}" "$@"\n'
PROGRAMS = (
    "bash", "bwrap", "cc", "env", "getent", "git", "ldconfig", "newgidmap", "newuidmap", "perl",
    "prlimit", "python", "python3", "setpriv", "sh", "systemd-run", "unshare", "xdg-open",
)  # fmt: skip
"""What the arena starts, or may start, by its name."""


@frozen
class Mark:
    """The trace of a planted file: what was imported or started, and by which process."""

    name: str
    process: int
    command: str


@frozen
class PlantedFolder:
    """A folder with planted files, and the file to which they write."""

    path: Path
    marks: Path

    @classmethod
    def create(cls, path: Path, marks: Path, without: str = "") -> PlantedFolder:
        """Plant all modules but one, an entry point, programs and configuration in a folder."""
        module = MODULE.format(mark=str(marks), folder=str(path))
        for name in list_names() - {without}:
            if name.isidentifier():
                (path / f"{name}.py").write_text(module)
        information = path / "planted_plugin-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text("Name: planted_plugin\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text("[arena]\nplanted = planted_plugin\n")
        (path / "planted.pth").write_text("import planted_plugin\n")
        (path / "conftest.py").write_text("import planted_plugin\n")
        (path / "pyvenv.cfg").write_text(f"home = {path}\n")
        for name in PROGRAMS:
            (path / name).write_text(PROGRAM.format(mark=marks))
            (path / name).chmod(0o755)
        return cls(path, marks)

    def read_marks(self) -> list[Mark]:
        """Return what has been imported or started, and forget it."""
        return [*self._take_marks()]

    def _take_marks(self) -> Iterator[Mark]:
        if self.marks.exists():
            lines = self.marks.read_text().splitlines()
            self.marks.unlink()
            for line in lines:
                name, process, command = line.split(" ", 2)
                yield Mark(name, int(process), command)


@cache
def list_names() -> set[str]:
    """List the standard library, all that is installed, and what Python imports by itself."""
    return {
        *(sys.stdlib_module_names - {*sys.builtin_module_names}),
        *packages_distributions(),
        *(point.module.partition(".")[0] for point in entry_points(group="arena")),
        "arena", "planted_plugin", "sitecustomize", "usercustomize",
    }  # fmt: skip


def add_empty_entry(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment in which programs are looked for in the current folder, too."""
    return {**environment, "PATH": f"{environment.get('PATH', os.defpath)}:"}
