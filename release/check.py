"""Compare the files of a release with the repository: nothing is missing, and nothing too much."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

from release.packages import CORE, SOLVER, Package

IGNORED = {".gitignore"}  # hatchling adds that of the repository
METADATA = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
BOOK_PAGE = re.compile(
    r"\]\(https?://[^)]*?/((?:tutorials|how-to|reference|explanation)/[\w/-]+)\.html(?:#([\w-]+))?\)"
)


def check_wheel(wheel: Path, package: Package) -> None:
    """Raise ValueError unless a wheel has the files of its package, its license, and no others."""
    source = package.folder / ("src" if (package.folder / "src").exists() else "")
    expected = {name for name in list_files(source) if re.match(r"arena(_\w+)?/", name)}
    if package.name == CORE:  # for `arena examples`
        expected |= {f"arena/{name}" for name in list_files(source) if name.startswith("examples/")}
    if package.name == SOLVER:
        expected.add("arena_gops_solver/libgops.so")
    info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    expected |= {f"{info}/{name}" for name in METADATA}
    if {"scripts", "entry-points"} & package.project.keys():
        expected.add(f"{info}/entry_points.txt")
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        _compare(wheel, names, expected)
        if archive.read(f"{info}/licenses/LICENSE") != (package.folder / "LICENSE").read_bytes():
            raise ValueError(f"{wheel.name}: another license than the package's")
    if not any(name.endswith("/py.typed") for name in names):
        raise ValueError(f"{wheel.name}: no py.typed")
    if any(re.match(r"(\w+/)?(tests?/|conftest\.py)", name) for name in names):
        raise ValueError(f"{wheel.name}: has tests")


def check_archive(archive: Path, package: Package) -> None:
    """Raise ValueError unless a source archive has the files of its folder, and no others."""
    with tarfile.open(archive) as tar:
        names = {member.name.partition("/")[2] for member in tar.getmembers() if member.isfile()}
    expected = {*list_files(package.folder), "PKG-INFO"}
    _compare(archive, names - IGNORED, expected - IGNORED)


def check_book_links(core: Package, book: Path) -> None:
    """Raise ValueError unless the links of PYPI.md lead to pages of the book and their headings."""
    text = (core.folder / "PYPI.md").read_text("utf-8")
    for page, heading in BOOK_PAGE.findall(text):
        path = book / f"{page}.html"
        if not path.exists() or (heading and f'id="{heading}"' not in path.read_text("utf-8")):
            raise ValueError(f"PYPI.md: no page {page}.html{heading and '#' + heading} in the book")


def list_files(folder: Path) -> set[str]:
    """List the files below a folder, by their paths in it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _compare(file: Path, names: Iterable[str], expected: Iterable[str]) -> None:
    """Raise ValueError unless both are the same."""
    missing, further = sorted({*expected} - {*names}), sorted({*names} - {*expected})
    if missing:
        raise ValueError(f"{file.name}: without {', '.join(missing)}")
    if further:
        raise ValueError(f"{file.name}: has {', '.join(further)}, which the package does not have")
