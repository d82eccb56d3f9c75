"""The packages are ready for release: one version, complete metadata, READMEs that stand alone, pins."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from attrs import evolve
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from release import build
from release.build import BOOK_LINK
from release.check import check_wheel
from release.packages import CORE, Package, build_urls, list_packages, set_version
from tests.support.checkout import ROOT
from tests.support.requirements import require

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
    if package.name == CORE:  # a release makes links to the book out of these
        pages = [ROOT / "docs" / f"{page}.md" for _, page, _ in BOOK_LINK.findall(text)]
        assert pages
        assert all(page.exists() for page in pages)
        text = BOOK_LINK.sub(r"\1", text)
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
    shutil.copy(root / "CITATION.cff", tmp_path)
    return tmp_path


def test_a_new_version_is_written_everywhere(checkout: Path) -> None:
    """`release version` writes all versions, all ranges and the heading of the changelog."""
    changed = set_version("3.4.5", "2030-01-02", checkout)
    assert len(changed) == len(PACKAGES) + 2
    for package in list_packages(checkout):
        assert package.project["version"] == "3.4.5"
        assert not any("<0." in line for line in package.requirements if "arena" in line)
    assert 'arena-web>=3.4,<3.5"' in (checkout / "pyproject.toml").read_text()
    assert "## 3.4.5 - 2030-01-02\n" in (checkout / "CHANGELOG.md").read_text()
    citation = (checkout / "CITATION.cff").read_text().splitlines()
    assert [line for line in citation if line.startswith(("version", "date"))] == [
        "version: 3.4.5", "date-released: 2030-01-02",
    ]  # fmt: skip


def test_addresses_stay_and_make_links(checkout: Path) -> None:
    """The addresses of one release are those of the next, and each heading of the changelog is a link."""
    changelog = checkout / "CHANGELOG.md"
    set_version(
        "3.4.5", "2030-01-02", checkout, build_urls("https://a.example/it/", "https://b.example")
    )
    changelog.write_text(
        changelog.read_text().replace("## [", "## Unreleased\n\n- More.\n\n## [", 1)
    )
    set_version("3.5.0", "2030-02-03", checkout)
    assert list_packages(checkout)[0].urls["Documentation"] == "https://b.example/"
    assert changelog.read_text().endswith(
        "- All.\n\n[3.4.5]: https://a.example/it/releases/tag/v3.4.5\n"
        "[3.5.0]: https://a.example/it/releases/tag/v3.5.0\n"
    )
    with pytest.raises(ValueError, match="has this version already"):
        set_version("3.4.5", "2030-02-03", checkout)


def test_only_a_clean_checkout_gets_a_version_which_can_be_taken_back(checkout: Path) -> None:
    """With uncommitted changes nothing is written; `git restore .` takes back what was."""
    require("git")
    shutil.copytree(
        ROOT / "release", checkout / "release", ignore=shutil.ignore_patterns("*cache*")
    )

    def git(*words: str) -> str:
        identity = ("-c", "user.name=x", "-c", "user.email=x@x.example")
        command = ["git", *identity, *words]
        return subprocess.run(
            command, cwd=checkout, check=True, capture_output=True, text=True
        ).stdout

    def release(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", "-m", "release", *words]
        return subprocess.run(command, cwd=checkout, check=False, capture_output=True, text=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "All")
    (checkout / "notes").write_text("mine")
    refusal = release("version", "3.4.5")
    assert refusal.returncode == 1
    assert re.fullmatch(r"Error: [^\n]+: 1 \(git status\); commit them first\n", refusal.stderr)
    (checkout / "notes").unlink()
    assert release("version", "3.4.5").stdout.endswith("to take it back: git restore .\n")
    assert git("status", "--porcelain")
    git("restore", ".")
    assert git("status", "--porcelain") == ""


def test_an_upload_is_printed_and_nothing_else_by_default(tmp_path: Path) -> None:
    """The files are listed with their sizes; a folder without any is an error."""
    command = [sys.executable, "-m", "release", "upload", str(tmp_path)]
    empty = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert empty.stderr == f"Error: {tmp_path}: neither archives nor wheels\n"
    (tmp_path / "x-1-py3-none-any.whl").write_bytes(b"x" * 2000)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    listed, summary = done.stdout.splitlines()
    assert re.fullmatch(r" +2 kB  \w{16}  x-1-py3-none-any.whl", listed)
    assert summary == "files: 1; nothing was uploaded (--no-dry-run uploads them)"


@pytest.mark.parametrize(
    ("extra", "without", "problem"),
    [
        ((), (), None),
        (
            ("arena_kuhn/notes.txt",),
            (),
            "has arena_kuhn/notes.txt, which the package does not have",
        ),
        (("tests/test_x.py",), (), "has tests/test_x.py"),
        ((), ("arena_kuhn/py.typed",), "without arena_kuhn/py.typed"),
        ((), ("arena_kuhn-1.dist-info/licenses/LICENSE",), "without .*LICENSE"),
    ],
)
def test_a_wheel_has_the_files_of_its_package(
    tmp_path: Path, extra: tuple[str, ...], without: tuple[str, ...], problem: str | None
) -> None:
    """What is missing from a wheel, or is in it by accident, is named."""
    (package,) = [package for package in PACKAGES if package.name == "arena-kuhn"]
    folder = tmp_path / "kuhn"
    shutil.copytree(package.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    info = [
        f"arena_kuhn-1.dist-info/{name}"
        for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")
    ]
    modules = [f"arena_kuhn/{path.name}" for path in (folder / "arena_kuhn").iterdir()]
    wheel = tmp_path / "arena_kuhn-1-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for name in {*info, *modules, *extra} - {*without}:
            archive.writestr(name, "")
        if "arena_kuhn-1.dist-info/licenses/LICENSE" not in without:
            archive.write(folder / "LICENSE", "arena_kuhn-1.dist-info/licenses/LICENSE")
    with pytest.raises(ValueError, match=problem) if problem else nullcontext():
        check_wheel(wheel, evolve(package, folder=folder))


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


def test_a_build_that_cannot_end_leaves_nothing_to_upload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is named at once; a folder that is there was built to its end."""
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(ValueError, match=r"^no-such-compiler -O2: no such C\+\+ compiler"):
        build.build_all(tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_the_group_of_a_release_has_what_its_commands_import() -> None:
    """`pip install --group release` alone is enough for `python -m release`."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    lines = [*groups["release"], *groups["packaging"], *groups["docs"]]  # which it includes
    names = {Requirement(line).name for line in lines if isinstance(line, str)}
    files = [*(ROOT / "release").glob("*.py")]
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
