"""Where the machine has no more processes or descriptors: which limit, in a line, and no verdict."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest

from arena.host import describe_shortage
from tests.support.command import ARENA, Cli
from tests.support.programs import TIMEOUT, environment, list_command_lines
from tests.support.requirements import require_solver
from tests.support.sandboxes.unprivileged import WRITES, build_user_prefix

FILES = "a process may open at most {} files (raise the limit with `ulimit -n`)"
LIMITS = {"nproc": "this user may start at most 0 processes (raise the limit with `ulimit -u`)",
          "nofile": FILES.format(9)}  # fmt: skip
CALLS = [
    ("match gops program:random program:match --games 5", "nproc"),
    ("match gops program:random program:match --games 5 --json", "nofile"),
    ("check kuhn program:random --quick --json", "nproc"),
]
DUEL = "duel gops random match --pairs 2"


def short(words: str, limit: str, folder: Path, mark: str) -> subprocess.CompletedProcess[str]:
    """Run a command where so little is left; root knows no limit on processes, so as another.

    Its cache is empty: what has been solved before would need no thread.
    """
    become = build_user_prefix(*WRITES) if limit == "nproc" else []
    least = {"nproc": 0, "nofile": 9}[limit]
    return subprocess.run(
        [*become, "prlimit", f"--{limit}={least}", ARENA, *words.split()], cwd=folder, check=False,
        env={**environment(mark), "XDG_CACHE_HOME": str(folder / "cache")}, capture_output=True,
        text=True, timeout=TIMEOUT,
    )  # fmt: skip


@pytest.mark.parametrize(("call", "limit"), CALLS)
def test_one_line_says_which_limit(tmp_path: Path, mark: str, call: str, limit: str) -> None:
    """The command stops at once; nothing is held against anybody."""
    done = short(call, limit, tmp_path, mark)
    assert (done.returncode, done.stdout.count("void"), done.stderr.count("\n")) == (2, 0, 1)
    assert done.stderr.startswith(f"arena: {LIMITS[limit]}; ")
    assert list_command_lines(mark) == []


@pytest.mark.parametrize(
    ("call", "who"),
    [
        ("gops solve --cards 3", "the system"),
        ("gops strategy --mine 1,3 --theirs 2,4 --prizes 1,2 --prize 2", "the system"),
        ("match gops nash random -o cards=3 --seed 1", "nash"),
        ("fuzz kuhn --for 1s", "the system"),
    ],
)
def test_a_command_that_needs_a_thread_says_so(
    tmp_path: Path, mark: str, call: str, who: str
) -> None:
    """Whichever plugin it comes from; the linear algebra that it imports needs none."""
    require_solver()
    done = short(call, "nproc", tmp_path, mark)
    assert (done.returncode, done.stderr) == (2, f"arena: {who}: {LIMITS['nproc']}\n")


@pytest.mark.usefixtures("inline_workers")
def test_a_tournament_leaves_nobody_out_for_it(tmp_path: Path, quick: Cli, mark: str) -> None:
    """The run ends while it checks a program, and sees it play when it is run again."""
    tmp_path.chmod(0o777)  # click asks what a user may read, whatever its capabilities
    (tmp_path / "t.toml").write_text(
        'game = "kuhn"\nmatches = 2\nworkers = 1\n[[entrant]]\nbot = "random"\n'
        '[[entrant]]\nbot = "program:careful"\n'
    )
    done = short("tournament run t.toml", "nproc", tmp_path, mark)
    said = f"arena: {LIMITS['nproc']}; the check was cut short"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, said)
    again = quick("tournament", "run", "t.toml")
    assert (again.returncode, "unfit" in again.stdout, list_command_lines(mark)) == (0, False, [])


@pytest.mark.parametrize(
    "most", [9, *(pytest.param(most, marks=pytest.mark.release) for most in (13, 16))]
)
def test_a_duel_that_lacks_descriptors_leaves_nothing(tmp_path: Path, mark: str, most: int) -> None:
    """Wherever they run out: the line names the limit, and no folder stays in the temporary one."""
    done = subprocess.run(
        ["prlimit", f"--nofile={most}", ARENA, *DUEL.split()],
        env=environment(mark, TMPDIR=str(tmp_path)), capture_output=True, text=True, check=False,
        timeout=TIMEOUT,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert FILES.format(most) in done.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (OSError(errno.EAGAIN, ""), "processes"),
        (RuntimeError("can't start new thread"), "processes"),
        (OSError(errno.EMFILE, ""), "a process may open at most"),
        (OSError(errno.ENFILE, ""), "the machine cannot open more files"),
        (OSError(errno.ENOMEM, ""), "memory"),
        (MemoryError(), "memory"),
        (OSError(errno.ENOSPC, ""), "no space left on the disk"),
        (OSError(errno.ENOENT, ""), ""),
        (RuntimeError("a bug"), ""),
        (None, ""),
    ],
)
def test_each_limit_has_its_words(problem: BaseException | None, words: str) -> None:
    """What is none has none."""
    assert words in describe_shortage(problem)
    assert bool(words) == bool(describe_shortage(problem))
