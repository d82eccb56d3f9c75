"""The wheels of all packages work where nothing else is installed.

The Python that runs the tests tries the core and the games. A release tries all packages on each
Python of this machine, all together and each extra alone; it builds them as `release build` does.

They are built from the files of the checkout, uncommitted changes included, and installed into empty
virtual environments outside of it, with their dependencies from the package index. What is missing
from a wheel (a template, a font, a package) is missing there; a release tries more commands there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest
from attrs import evolve, frozen

from arena.files import lock_open_file
from release.build import build_packages
from release.check import check_wheel
from release.packages import SOLVER, Package, list_packages
from tests.support.checkout import ROOT
from tests.support.hill.running_hill import HILL, find_free_port
from tests.support.programs import TIMEOUT, environment
from tests.support.requirements import (
    require,
    require_package_index,
    require_sandbox,
    require_solver,
)

Run = Callable[..., str]
"""Runs a program of an environment in an empty folder, and returns its output."""
ADVICE = {
    "match gops random random": "'cardbot-arena[games]'",
    "tournament run cup.toml": "'cardbot-arena[tournament]'",
    "web": "'cardbot-arena[web]'",
    "games": "'cardbot-arena[games]'",
    "demo": "'cardbot-arena[games]'",
    "hill run hill.toml": "'cardbot-arena[hill]'",
    "submit": "arena-hill",
    "tune mine.toml": "'cardbot-arena[tune]'",
    "mcp": "'cardbot-arena[mcp]'",
}
"""What the core alone says to install for a command; a release tries all, every run three."""

GAMES = sorted(path.name for path in (ROOT / "games").iterdir() if (path / "tests").is_dir())
PACKAGES = list_packages()
PURE = [package for package in PACKAGES if package.name != SOLVER]
WORKER = "PYTEST_XDIST_WORKER"
THIS = sys.version_info.minor
MINORS = range(11, 15)
"""The minor versions of Python 3 that are supported."""

BUILD_PURE_WHEELS = """
import os, sys
from hatchling.build import build_wheel
out, *folders = sys.argv[1:]
for folder in folders:
    os.chdir(folder)
    build_wheel(out)
"""
RESULTS = "".join(
    f'{{"match": "{match}", "name": "{name}", "place": {place}, "score": {2 - place}}}\n'
    for match in range(4)
    for place, name in enumerate(("ada", "bob"), 1)
)
EXTRAS = {
    "games": "arena match kuhn random random",
    "hill": "arena hill --help",
    "llm": "python -m arena_llm --help",
    "mcp": "arena mcp --help",
    "parquet": "arena standings results.jsonl",
    "postgresql": "arena standings results.jsonl",
    "solver": "arena gops solve --cards 4",
    "testing": "python -c 'import arena.testing'",
    "tournament": "arena standings results.jsonl",
    "tune": "arena tune --help",
    "web": "arena web --help",
}
"""A command that each extra makes possible where it alone is installed."""
POLL_SECONDS = 0.2
PLUGINS = ["arena_web", "arena_hill", "arena_mcp", "arena_tune", "arena_llm"]


@frozen
class Environment:
    """A virtual environment: its programs, and what commands said when only the core was there."""

    programs: Path
    core_alone: Mapping[str, subprocess.CompletedProcess[str]]


@cache
def list_pythons() -> dict[int, Path]:
    """List the interpreters of the machine, by minor version: at least the one that runs this."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in MINORS:
        name = f"python3.{minor}"
        candidates = [shutil.which(name), *map(str, sorted(pyenv.glob(f"3.{minor}.*/bin/{name}")))]
        for candidate in filter(None, candidates):
            if runs(candidate, minor):
                found[minor] = Path(candidate)
                break
    return {**found, sys.version_info.minor: Path(sys.executable)}


def runs(python: str, minor: int) -> bool:
    """Whether it is this Python, and not a version manager's refusal."""
    code = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode


def choose_python(minor: int) -> str:
    """Return the interpreter of a minor version; skip the test if there is none."""
    if minor not in list_pythons():
        pytest.skip(f"Python 3.{minor} is not on this machine: install Python 3.{minor}")
    return str(list_pythons()[minor])


@pytest.fixture(scope="session")
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all packages' wheels, which the first worker builds for all workers."""
    require("git")
    if is_release(request):
        require_solver()
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if WORKER in os.environ else base
    folder = shared / "wheels"
    with (shared / "wheels.lock").open("w") as lock:
        lock_open_file(lock, wait=True)
        if not folder.exists():
            with TemporaryDirectory(dir=shared, prefix="build-") as name:
                checkout = Path(name) / "checkout"
                copy_checkout(checkout)
                out = Path(name) / "wheels"
                out.mkdir()
                if is_release(request):
                    build_packages(checkout, out)
                else:
                    build_pure_wheels(checkout, out)
                out.rename(folder)
    return folder


@pytest.fixture(scope="session")
def wheels(built: Path) -> Path:
    """The same folder, where all they depend on can be installed, too."""
    require_package_index()
    return built


def is_release(request: pytest.FixtureRequest) -> bool:
    """Whether this run has tests that only a release has."""
    return any(item.get_closest_marker("release") for item in request.session.items)


def copy_checkout(folder: Path) -> None:
    """Copy the files of the checkout into a folder."""
    for path in list_files(ROOT):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def list_files(folder: Path) -> list[Path]:
    """List the files below a folder of the checkout that git does not ignore."""
    words = "ls-files -z --cached --others --exclude-standard"
    command = ["git", "-C", str(folder), *words.split()]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = [folder / name for name in names if name]
    return [path for path in paths if path.is_file()]  # it may be deleted, and not committed yet


def build_pure_wheels(checkout: Path, out: Path) -> None:
    """Build the wheels without native code in one process, in a tenth of the time."""
    folders = [package.folder for package in list_packages(checkout) if package.name != SOLVER]
    subprocess.run([sys.executable, "-c", BUILD_PURE_WHEELS, out, *folders], check=True)


def install(python: Path, wheels: Path, *words: str | Path) -> None:
    """Install something into the environment of a Python, as `pip install` does."""
    command: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install"]
    command += ["--quiet", "--no-compile", "-c", ROOT / "constraints.txt", "--find-links", wheels]
    done = subprocess.run(
        [*command, *words],
        capture_output=True, text=True, check=False, timeout=TIMEOUT, cwd=wheels,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@contextmanager
def create_environment(python: str, wheels: Path, *packages: str) -> Iterator[Path]:
    """Create a virtual environment with some packages for a while; yield its programs' folder."""
    with TemporaryDirectory(prefix="wheels-") as name:
        assert not Path(name).is_relative_to(ROOT)
        subprocess.run([python, "-m", "venv", "--without-pip", name], check=True, cwd=name)
        install(Path(name, "bin/python"), wheels, *packages)
        yield Path(name, "bin")


@pytest.fixture(
    scope="module",
    params=[
        THIS,
        *(pytest.param(minor, marks=pytest.mark.release) for minor in MINORS if minor != THIS),
    ],
    ids="3.{}".format,
)
def environment_of(
    request: pytest.FixtureRequest, wheels: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Environment]:
    """An environment with the core, which is asked for the rest, and then with the games.

    In a release all other packages are there, too.
    """
    extras = "all" if is_release(request) else "games"
    lines = [*ADVICE] if is_release(request) else [*ADVICE][:3]
    home = tmp_path_factory.mktemp("core")
    with create_environment(choose_python(request.param), wheels, "cardbot-arena") as folder:
        advice = {
            line: subprocess.run(
                [folder / "arena", *line.split()], cwd=home, check=False, timeout=TIMEOUT,
                env=build_environment(folder, "core", home), capture_output=True, text=True,
            )
            for line in lines
        }  # fmt: skip
        install(folder / "python", wheels, f"cardbot-arena[{extras}]")
        yield Environment(folder, advice)


@pytest.fixture
def programs(environment_of: Environment) -> Path:
    """The folder of programs of an environment with the packages."""
    return environment_of.programs


def build_environment(programs: Path, mark: str, home: Path) -> dict[str, str]:
    """Build the variables of a process that uses an environment: it sees no other Python."""
    kept = {
        name: value
        for name, value in environment(mark).items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}


@pytest.fixture
def run(programs: Path, mark: str, tmp_path: Path) -> Run:
    """A way to run programs of the environment, none of which may fail."""

    def run_program(program: str, *words: str | Path) -> str:
        done = subprocess.run(
            [programs / program, *words], cwd=tmp_path, check=False, timeout=TIMEOUT,
            env=build_environment(programs, mark, tmp_path), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run_program


@contextmanager
def start(programs: Path, mark: str, home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run `arena` in a folder for a while, and end it as Ctrl-C does."""
    with subprocess.Popen(
        [programs / "arena", *words], cwd=home, env=build_environment(programs, mark, home),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=TIMEOUT)
            assert process.returncode == 0, errors
        finally:
            process.kill()


def fetch(port: int, path: str) -> tuple[int, str]:
    """Return the status and body of a page of this machine; status 0 while nobody answers."""
    connection = HTTPConnection("localhost", port, timeout=TIMEOUT)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, ""
    finally:
        connection.close()


@pytest.mark.parametrize("package", PURE, ids=lambda package: package.name)
def test_a_wheel_has_all_files_of_its_package(
    built: Path, tmp_path: Path, package: Package
) -> None:
    """Its modules and stubs, templates, styles, scripts, pictures and fonts, and no others."""
    for path in list_files(package.folder):
        target = tmp_path / path.relative_to(package.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (wheel,) = built.glob(f"{package.name.replace('-', '_')}-*.whl")
    check_wheel(wheel, evolve(package, folder=tmp_path))


@pytest.mark.release
@pytest.mark.parametrize("minor", MINORS, ids="3.{}".format)
@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_works_alone(
    wheels: Path, mark: str, tmp_path: Path, extra: str, minor: int
) -> None:
    """It has what it requires, and its commands run; where it brings no game, a match says which line does."""
    (tmp_path / "results.jsonl").write_text(RESULTS)
    with create_environment(choose_python(minor), wheels, f"cardbot-arena[{extra}]") as folder:
        variables = build_environment(folder, mark, tmp_path)

        def run_line(line: str) -> subprocess.CompletedProcess[str]:
            program, *words = shlex.split(line)
            return subprocess.run(
                [folder / program, *words], cwd=tmp_path, check=False, timeout=TIMEOUT,
                env=variables, capture_output=True, text=True,
            )  # fmt: skip

        pip: list[str | Path] = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            folder / "python",
            "check",
        ]
        check = subprocess.run(pip, check=False, capture_output=True, text=True)
        assert check.returncode == 0, check.stdout
        done = run_line(EXTRAS[extra])
        assert done.returncode == 0, done.stdout + done.stderr
        match = run_line("arena match gops random random")
        if extra not in {"games", "solver"}:
            assert match.stderr.endswith(f"pip install {ADVICE['match gops random random']}\n")


def test_every_extra_is_tried() -> None:
    """All extras of the core but `all` are installed alone by some test."""
    assert {*PACKAGES[0].project["optional-dependencies"]} == {*EXTRAS, "all"}


def test_all_games_are_found(run: Run, programs: Path, request: pytest.FixtureRequest) -> None:
    """Every game is installed as one, and all packages come from the environment."""
    packages = ["arena", *map("arena_{}".format, GAMES), *(PLUGINS if is_release(request) else ())]
    lines = "".join(f"import {name}; print({name}.__file__)\n" for name in packages)
    listing = "from arena.plugins import get_plugins; print(*get_plugins().games)\n"
    found, *paths = run("python", "-c", listing + lines).splitlines()
    assert found.split() == GAMES
    assert all(Path(path).is_relative_to(programs.parent) for path in paths)


@pytest.mark.parametrize(
    "game", [GAMES[0], *(pytest.param(game, marks=pytest.mark.release) for game in GAMES[1:])]
)
def test_bundled_bots_play_a_match(run: Run, game: str) -> None:
    """`arena match` plays each game."""
    bots = ["random"] * (3 if game == "hearts" else 2)
    assert json.loads(run("arena", "match", game, *bots, "--json"))["outcome"] == "finished"


@pytest.mark.release
def test_examples_are_copied_and_play(run: Run) -> None:
    """`arena examples` brings the folder that the README's commands name."""
    run("arena", "examples")
    bot = "examples/bots/gops-bash"
    assert json.loads(run("arena", "match", "gops", bot, "hard", "--json"))["outcome"] == "finished"


@pytest.mark.release
def test_the_demo_records_its_matches(run: Run, tmp_path: Path) -> None:
    """`arena demo` plays matches and saves their transcripts."""
    run("arena", "demo")
    assert len([*(tmp_path / "demo").glob("*.jsonl")]) > 1


@pytest.mark.release
def test_a_new_bot_passes_its_check(run: Run) -> None:
    """`arena new-bot` writes a bot that `arena check` has nothing against."""
    run("arena", "new-bot", "gops", "mine")
    assert run("arena", "check", "gops", "mine", "--quick").endswith("Passed.\n")


@pytest.mark.release
def test_a_new_game_passes_its_tests(
    run: Run, programs: Path, wheels: Path, tmp_path: Path
) -> None:
    """`arena new-game` writes a game that can be installed, passes its tests and is played."""
    run("arena", "new-game", "pips")
    install(programs / "python", wheels, "--editable", f"{tmp_path / 'pips'}[test]")
    try:
        assert re.search(r"^\d+ passed in", run("pytest", "-q", "pips"), re.MULTILINE)
        assert "10 games" in run("arena", "match", "pips", "random", "thrifty", "--games", "10")
    finally:
        pip = (sys.executable, "-m", "pip", "--python", programs / "python")
        subprocess.run([*pip, "uninstall", "--quiet", "--yes", "arena-pips"], check=True)


@pytest.mark.release
def test_a_tournament_is_ranked_and_shown(
    run: Run, programs: Path, mark: str, tmp_path: Path
) -> None:
    """`arena web` shows a tournament, with the files that its pages need."""
    entrants = "".join(f'[[entrant]]\nbot = "{bot}"\n' for bot in ("random", "careful", "optimal"))
    (tmp_path / "cup.toml").write_text(f'game = "kuhn"\nmatches = 12\nworkers = 1\n{entrants}')
    run("arena", "tournament", "run", "cup.toml")
    with start(programs, mark, tmp_path, "web", "cup.toml", "--port", "0") as process:
        assert process.stdout
        line = process.stdout.readline()
        address = re.match(r"arena web: http://localhost:(\d+)/", line)
        assert address, line
        check_pages(int(address[1]))


def check_pages(port: int) -> None:
    """Check that the page of a tournament is served with its styles, scripts and pictures."""
    status, page = fetch(port, "/t/cup/")
    assert status == 200
    assert all(name in page for name in ("random", "careful", "optimal"))
    files = re.findall(r'"\.\./\.\.(/static/[^"]+)"', page)
    assert {Path(file).suffix for file in files} >= {".css", ".js", ".svg"}
    assert {fetch(port, file)[0] for file in files} == {200}


@pytest.mark.release
def test_a_hill_is_healthy(programs: Path, mark: str, tmp_path: Path) -> None:
    """`arena hill run` starts all its processes, as `/healthz` says, and ends with Ctrl-C."""
    require_sandbox()
    (tmp_path / "hill.toml").write_text(HILL)
    port = find_free_port()
    with start(programs, mark, tmp_path, "hill", "run", "hill.toml", "--port", str(port)) as hill:
        end = monotonic() + TIMEOUT
        while fetch(port, "/healthz")[0] != 200:
            assert hill.poll() is None, hill.communicate()
            assert monotonic() < end, fetch(port, "/healthz")
            sleep(POLL_SECONDS)


@pytest.mark.release
def test_gops_is_solved(run: Run, programs: Path) -> None:
    """`arena gops solve` runs the solver's native code, and `nash` plays by the table."""
    assert "8 cards, points" in run("arena", "gops", "solve", "--cards", "8")
    result = json.loads(run("arena", "match", "gops", "nash", "random", "-o", "cards=8", "--json"))
    assert result["outcome"] == "finished"
    path = run("python", "-c", "import arena_gops_solver; print(arena_gops_solver.__file__)")
    assert Path(path).is_relative_to(programs.parent)


def test_the_core_alone_says_what_to_install(environment_of: Environment) -> None:
    """Without games and plugins a command ends in one line with the `pip install` that adds them."""
    for line, done in environment_of.core_alone.items():
        assert (done.returncode, done.stdout) == (2, ""), line
        assert re.fullmatch(r"arena: [^\n]+\n", done.stderr), done.stderr
        assert done.stderr.endswith(f"pip install {ADVICE[line]}\n")


@pytest.mark.release  # the build tools are fetched for it
def test_without_a_compiler_pip_says_what_to_install(wheels: Path, tmp_path: Path) -> None:
    """Where no C++ compiler is, pip's output names it, and says how to leave the solver out."""
    assert wheels.is_dir()  # so the index can be reached, from which pip takes the build tools
    source = shutil.copytree(
        ROOT / "plugins" / "gops-solver",
        tmp_path / "solver",
        ignore=shutil.ignore_patterns("build"),
    )
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, source],
        env={**os.environ, "CXX": str(tmp_path / "no-compiler")},
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 1
    output = " ".join((done.stdout + done.stderr).split())
    assert f"No wheel of {SOLVER} fits this machine." in output
    assert "install a C++17 compiler (Debian: apt install g++)" in output
    assert "To leave it out, install the arena without the extra `solver`" in output
