"""The packages of this repository and their one version, which is that of the core."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

ROOT = Path(__file__).parent.parent
CORE = "cardbot-arena"
SOLVER = "arena-gops-solver"
VERSION_LINE = re.compile(r'^version = "([^"]+)"$', re.MULTILINE)
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)((a|b|rc)\d+)?")
UNRELEASED = "## Unreleased"
URLS_PLACE = re.compile(
    r"(^\[project\.urls\]\n(.+\n)+\n)?(?=^\[project\.optional-dependencies\]$)", re.MULTILINE
)
"""Where the core's addresses are, or go."""


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
    def urls(self) -> dict[str, str]:
        """The addresses of the project, by what is there."""
        return dict(self.project.get("urls", {}))

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


def set_version(
    version: str, date: str, root: Path = ROOT, urls: Mapping[str, str] | None = None
) -> list[Path]:
    """Write a version into all that carries one; return the files that it changes.

    These are the packages, the changelog and the citation. The book reads that of the core.

    Args:
        version: The version, such as `0.3.0`.
        date: The day of the release, as the changelog writes it: `2026-11-24`.
        root: The checkout.
        urls: New addresses of the project, see `build_urls`.

    Raises:
        ValueError: It is not a version, or was released before, or the changelog has nothing that
            is unreleased.
    """
    accepted = compatible_range(version)
    changelog = root / "CHANGELOG.md"
    news = changelog.read_text("utf-8")
    if re.search(rf"^## \[?{re.escape(version)}\b", news, re.MULTILINE):
        raise ValueError(f"{version}: {changelog.name} has this version already")
    if UNRELEASED not in news:
        raise ValueError(f'{changelog.name}: no heading "{UNRELEASED}"')
    packages = list_packages(root)
    own = "|".join(re.escape(package.name) for package in packages)
    requirement = re.compile(rf'"((?:{own})(?:\[[\w,-]+\])?)>=[^"]+"')
    texts = {}
    for package in packages:
        path = package.folder / "pyproject.toml"
        text = VERSION_LINE.sub(f'version = "{version}"', path.read_text("utf-8"), count=1)
        texts[path] = requirement.sub(rf'"\1{accepted}"', text)
    core = root / "pyproject.toml"
    if urls:
        table = "[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())
        texts[core] = URLS_PLACE.sub(f"{table}\n", texts[core], count=1)
    repository = (urls or packages[0].urls).get("Repository")
    texts[changelog] = _write_heading(news, version, date, repository)
    citation = root / "CITATION.cff"
    texts[citation] = _write_citation(citation.read_text("utf-8"), version, date, repository)
    changed = [path for path, text in texts.items() if text != path.read_text("utf-8")]
    for path in changed:
        path.write_text(texts[path], "utf-8")
    return changed


def build_urls(repository: str, book: str) -> dict[str, str]:
    """Build the table of addresses from those of the repository and of the book."""
    repository = repository.rstrip("/")
    return {
        "Documentation": f"{book.rstrip('/')}/",
        "Repository": repository,
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def _write_heading(text: str, version: str, date: str, repository: str | None) -> str:
    """Replace the heading of the unreleased lines; it becomes a link if there is an address."""
    if repository is None:
        return text.replace(UNRELEASED, f"## {version} - {date}", 1)
    link = f"[{version}]: {repository}/releases/tag/v{version}\n"
    text = text.replace(UNRELEASED, f"## [{version}] - {date}", 1).rstrip("\n")
    joint = "\n" if text.rpartition("\n")[2].startswith("[") else "\n\n"  # below other links
    return f"{text}{joint}{link}"


def _write_citation(text: str, version: str, date: str, repository: str | None) -> str:
    lines = {"version": version, "date-released": date}
    if repository is not None:
        lines["repository-code"] = repository
    text = re.sub(rf"^({'|'.join(lines)}): .*\n", "", text, flags=re.MULTILINE)
    return text + "".join(f"{name}: {value}\n" for name, value in lines.items())


def check_clean(root: Path = ROOT) -> None:
    """Raise ValueError if the checkout has changes that are not committed."""
    if not (root / ".git").exists():  # what a source archive unpacks to
        return
    command = ["git", "-C", str(root), "status", "--porcelain"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if done.stdout:
        count = len(done.stdout.splitlines())
        raise ValueError(
            f"files not as in the last commit: {count} (git status); commit them first"
        )
