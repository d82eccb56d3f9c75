"""The arena as a newcomer installs it: wheels of two states of the repository, the second newer."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from release.machine.wheels import ROOT, find_pip

PACKAGES = (".", "games/gops", "plugins/web", "plugins/hill")
"""What the page installs, by their folders."""

VERSION = re.compile(r'^version = "(.*)"$', re.MULTILINE)


def build_packages(revision: str, folder: Path, *, newer: bool) -> Path:
    """Return a folder with the wheels of a revision; newer ones replace the others."""
    wheels = folder / ("newer" if newer else "older")
    source = folder / "source"
    for path in (wheels, source):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    archive = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "x", "-C", source], input=archive.stdout, check=True)
    for package in PACKAGES if newer else ():
        file = source / package / "pyproject.toml"
        file.write_text(VERSION.sub(r'version = "\1.post1"', file.read_text(), count=1))
    subprocess.run(
        [find_pip(folder / "venv"), "wheel", "-q", "--no-deps", "-w", wheels,
         *(f"./{package}" for package in PACKAGES)],
        cwd=source, check=True,
    )  # fmt: skip
    shutil.rmtree(source)
    return wheels
