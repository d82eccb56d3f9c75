"""The packages of this repository and their one version, which is that of the core."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from attrs import field, frozen

ROOT = Path(__file__).parent.parent
CORE = "cardbot-arena"
SOLVER = "arena-gops-solver"
VERSION_LINE = re.compile(r'^version = "([^"]+)"$', re.MULTILINE)
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)((a|b|rc)\d+)?")
UNRELEASED = "## Unreleased"


@frozen
class Package:
    """A package: its folder, and the `[project]` table of its pyproject.toml."""

    folder: Path
    project: dict[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """The name that pip knows it by."""
        return str(self.project["name"])

    @property
    def requirements(self) -> list[str]:
        """All it requires, with its extras."""
        extras = self.project.get("optional-dependencies", {}).values()
        return [*self.project["dependencies"], *(line for extra in extras for line in extra)]


def list_packages(root: Path = ROOT) -> list[Package]:
    """List the packages of a checkout, the core first."""
    folders = [root, *sorted(root.glob("games/*/")), *sorted(root.glob("plugins/*/"))]
    return [
        Package(folder, tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"])
        for folder in folders
        if (folder / "pyproject.toml").exists()
    ]


def compatible_range(version: str) -> str:
    """Return the versions of each other that the packages of a version accept.

    >>> compatible_range("0.2.1")
    '>=0.2,<0.3'
    """
    match = VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version}: not a version (write it as 1.2.3 or 1.2.3rc1)")
    major, minor = int(match[1]), int(match[2])
    return f">={major}.{minor},<{major}.{minor + 1}"


def set_version(version: str, date: str, root: Path = ROOT) -> list[Path]:
    """Write a version into all packages and the changelog; return the files that changed.

    Args:
        version: The version, such as `0.3.0`.
        date: The day of the release, as the changelog writes it: `2026-11-24`.
        root: The checkout.

    Raises:
        ValueError: It is not a version, or the changelog has nothing that is unreleased.
    """
    accepted = compatible_range(version)
    packages = list_packages(root)
    own = "|".join(re.escape(package.name) for package in packages)
    requirement = re.compile(rf'"((?:{own})(?:\[[\w,-]+\])?)>=[^"]+"')
    changelog = root / "CHANGELOG.md"
    if UNRELEASED not in changelog.read_text("utf-8"):
        raise ValueError(f'{changelog.name}: no heading "{UNRELEASED}"')
    changed = []
    for package in packages:
        path = package.folder / "pyproject.toml"
        text = VERSION_LINE.sub(f'version = "{version}"', path.read_text("utf-8"), count=1)
        path.write_text(requirement.sub(rf'"\1{accepted}"', text), "utf-8")
        changed.append(path)
    text = changelog.read_text("utf-8")
    changelog.write_text(text.replace(UNRELEASED, f"## {version} - {date}", 1), "utf-8")
    return [*changed, changelog]
