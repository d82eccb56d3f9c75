"""Python's packages for a machine that has no way out: downloaded here, installed there."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

WHEELS = "/srv/wheels"
"""Where they lie in the machine."""

PYTHON = "/usr/bin/python3"  # Debian's own, as inside: wheels are made for a version
ROOT = Path(__file__).parents[2]
OWN = re.compile("cardbot-arena|arena-")
MEMBERS = (".", "games/bs", "games/gops", "plugins/gops-solver", "plugins/web", "plugins/hill")
EXTRAS = ("tournament", "postgresql", "testing", "server", "oauth")
BUILDERS = ("pip>=25.1", "setuptools", "editables", "cmake", "ninja")
TESTERS = ("coverage", "httpx2", "pandas", "polars", "pyarrow", "pytest-xdist", "sybil")
"""What the tests that run inside import."""


def download_wheels(folder: Path) -> None:
    """Download all that the project and its tests need, as wheels for Debian's own Python."""
    pip = find_pip(folder.parent / "venv")
    folder.mkdir(exist_ok=True)
    words = ("wheel", "-q", "-w", folder, "-c", ROOT / "constraints.txt")
    subprocess.run([pip, *words, *BUILDERS, *TESTERS, *_requirements()], check=True)


def find_pip(venv: Path) -> Path:
    """Return the pip of a virtual environment of Debian's Python; make it, once."""
    pip = venv / "bin/pip"
    if not pip.exists():
        subprocess.run([PYTHON, "-m", "venv", venv], check=True)
        subprocess.run([pip, "install", "-q", "-U", BUILDERS[0]], check=True)
    return pip


def _requirements() -> Iterator[str]:
    """Yield what the project's packages need to be built and run, except for each other."""
    for member in MEMBERS:
        said = tomllib.loads((ROOT / member / "pyproject.toml").read_text())
        extras = said["project"].get("optional-dependencies", {})
        lists = [said["build-system"]["requires"], said["project"]["dependencies"]]
        lists += [words for extra, words in extras.items() if extra in EXTRAS]
        yield from (word for words in lists for word in words if not OWN.match(word))
