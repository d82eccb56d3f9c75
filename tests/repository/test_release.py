"""The packages are ready for release: one version, complete metadata, READMEs that stand alone, pins."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from release import build
from release.packages import CORE, SOLVER, Package, list_packages, set_version
from tests.support.checkout import ROOT

PACKAGES = list_packages()
LINK = re.compile(r"\]\((?!https?://)|<img|\./run|docs/")
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


@each_package
def test_all_packages_have_the_version_of_the_core(package: Package) -> None:
    """Each package has the core's version and accepts the same minor version of the others."""
    core = PACKAGES[0].project["version"]
    assert package.project["version"] == core
    major, minor = map(int, core.split(".")[:2])
    names = {other.name for other in PACKAGES}
    own = [line for line in package.requirements if re.split(r"[\[>]", line)[0] in names]
    ranges = {re.sub(r"^[\w-]+(\[[\w,-]+\])?", "", line) for line in own if ">" in line}
    assert ranges <= {f">={major}.{minor},<{major}.{minor + 1}"}
    assert package.name == CORE or ranges


@each_package
def test_the_metadata_is_complete(package: Package) -> None:
    """Each package names its license, authors, keywords, status and the supported Pythons."""
    project = package.project
    assert project["license"] == "MIT"
    assert (package.folder / "LICENSE").read_text() == (PACKAGES[0].folder / "LICENSE").read_text()
    assert project["authors"]
    assert project["keywords"]
    assert project["requires-python"] == ">=3.11"
    classifiers = set(project["classifiers"])
    pythons = {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)}
    assert classifiers >= pythons | {"Typing :: Typed", "Operating System :: POSIX :: Linux"}
    assert any(line.startswith("Development Status :: ") for line in classifiers)


@each_package
def test_the_long_description_stands_alone(package: Package) -> None:
    """The long description has pip commands, and neither relative links nor `./run`."""
    text = (package.folder / package.project["readme"]).read_text("utf-8")
    assert text.startswith(f"# {package.name}\n")
    assert "pip install" in text
    assert not LINK.findall(text)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that carry the version."""
    root = PACKAGES[0].folder
    for package in PACKAGES:
        folder = tmp_path / package.folder.relative_to(root)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(package.folder / "pyproject.toml", folder)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n### Added\n\n- All.\n")
    return tmp_path


def test_a_new_version_is_written_everywhere(checkout: Path) -> None:
    """`release version` writes all versions, all ranges and the heading of the changelog."""
    changed = set_version("3.4.5", "2030-01-02", checkout)
    assert len(changed) == len(PACKAGES) + 1
    for package in list_packages(checkout):
        assert package.project["version"] == "3.4.5"
        assert not any("<0." in line for line in package.requirements if "arena" in line)
    assert 'arena-web>=3.4,<3.5"' in (checkout / "pyproject.toml").read_text()
    assert "## 3.4.5 - 2030-01-02\n" in (checkout / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("version", ["3.4", "v3.4.5", "next", ""])
def test_a_wrong_version_changes_nothing(checkout: Path, version: str) -> None:
    """What is not a version is rejected before any file is written."""
    before = {path: path.read_text() for path in checkout.rglob("*.*")}
    with pytest.raises(ValueError, match="not a version"):
        set_version(version, "2030-01-02", checkout)
    assert {path: path.read_text() for path in checkout.rglob("*.*")} == before


def test_a_release_without_news_changes_nothing(checkout: Path) -> None:
    """Where the changelog has no unreleased lines, no version is written."""
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 - 2026-01-01\n")
    with pytest.raises(ValueError, match="no heading"):
        set_version("3.4.5", "2030-01-02", checkout)
    assert list_packages(checkout)[0].project["version"] == PACKAGES[0].project["version"]


def test_every_step_is_named_before_it_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also those within the solver's wheels, where Zig compiles its own library first."""
    told = list[str]()

    def run(*command: str | Path, **_: object) -> None:
        words = [*map(str, command)]
        assert told, words
        if "--sdist" in words:
            (tmp_path / "arena_gops_solver-1.tar.gz").touch()
        if "--wheel-dir" in words and "auditwheel" not in words:
            Path(words[words.index("--wheel-dir") + 1], "solver.whl").touch()
        if "venv" not in words:
            ran.append((told[-1], words))

    ran = list[tuple[str, list[str]]]()
    monkeypatch.setattr(build, "run", run)
    build.build_all(ROOT, tmp_path, [Path("python3.11"), Path("python3.12")], told.append)
    assert [step for step, _ in ran] == told  # one command in each
    pure = [package.name for package in list_packages() if package.name != SOLVER]
    assert [step for step in told if SOLVER not in step] == [
        f"{name}: source archive and wheel" for name in pure
    ]
    assert [step for step in told if "3.12" in step] == [
        f"{SOLVER}, python3.12: {what}"
        for what in (
            "let Zig compile its C++ library (minutes, the first time on a machine)",
            "compile",
            "make the wheel fit older systems",
        )
    ]


def test_a_step_that_takes_long_says_so(tmp_path: Path) -> None:
    """Again and again until it ends; what fails shows what it has printed."""
    pipe, told = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)

    def show(line: str) -> None:
        told.append(line)
        if len(told) == 2:
            pipe.write_text("go on\n")

    build.run("sh", "-c", f"read line <{pipe}", show=show, interval=0.01)
    assert len(told) >= 2
    assert all(re.fullmatch(r"  \.\.\. for \d+ seconds", line) for line in told)
    with pytest.raises(subprocess.CalledProcessError, match="exit status 3"):
        build.run("sh", "-c", "exit 3")


def test_the_group_of_a_release_has_what_its_commands_import() -> None:
    """`pip install --group release` alone is enough for `python -m release`."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    names = {Requirement(line).name for line in groups["release"] if isinstance(line, str)}
    files = [ROOT / "release" / f"{name}.py" for name in ("__main__", "build", "packages")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    imports = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    imports |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    others = {name.partition(".")[0] for name in imports} - {*sys.stdlib_module_names, "release"}
    assert others
    assert others <= names


LINES = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
PINS = [Requirement(line) for line in LINES]
PROMISED = ("3.11.2", "3.12.0", "3.13.0", "3.14.0")
"""The Python of Debian 12, and the first of each later version."""


def list_pins(version: str) -> dict[str, str]:
    """Return the pinned version of each package under this version of Python."""
    environment = {"python_full_version": version, "python_version": version.rsplit(".", 1)[0]}
    fitting = [pin for pin in PINS if not pin.marker or pin.marker.evaluate(environment)]
    pins = {pin.name: str(pin.specifier).removeprefix("==") for pin in fitting}
    assert len(pins) == len(fitting), "a package is pinned twice"
    return pins


def find_supported(name: str, version: str) -> SpecifierSet:
    """Return the Pythons that this version of a package supports: all, if it is not installed."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return SpecifierSet()
    known = metadata["Version"] == version and "Requires-Python" in metadata
    return SpecifierSet(metadata["Requires-Python"] if known else "")


@pytest.mark.parametrize("version", PROMISED)
def test_pinned_packages_support_every_promised_python(version: str) -> None:
    """No pinned package that is installed here requires a newer Python than is promised."""
    supported = {name: find_supported(name, pin) for name, pin in list_pins(version).items()}
    unfit = {name: pythons for name, pythons in supported.items() if version not in pythons}
    assert unfit == {}


def test_every_pin_is_one_version_and_no_address() -> None:
    """A pin is `name==version`, with a marker at most: the user's own index provides the package."""
    assert len(PINS) > 100
    for pin in PINS:
        assert pin.url is None
        assert [each.operator for each in pin.specifier] == ["=="]
