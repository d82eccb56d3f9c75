"""What a program in a sandbox finds in its environment, and how its end is known."""

from __future__ import annotations

import select
import sys
from pathlib import Path

from arena.host import run_in_sandbox
from arena.sandbox import LANDLOCK, Sandbox, SandboxedProcess, find_shortcomings
from tests.support.programs import TIMEOUT
from tests.support.sandboxes.tiers import tier

__all__ = [
    "tier",
]

EXACT = {
    "exit 0": 0, "exit 1": 1, "exit 127": 127, "exit 128": 128, "exit 145": 145, "exit 200": 200,
    "exit 255": 255, "kill -HUP $$": -1, "kill -SEGV $$": -11, "kill -TERM $$": -15,
    "kill -KILL $$": -9, "kill -SYS $$": -31,
}  # fmt: skip
AMBIGUOUS = {"exit 137": 137, "exit 139": 139}
"""Bubblewrap has the same exit status where a signal has ended the program."""


def run(command: str, folder: Path, tier: str) -> int | None:
    """Run a command of a shell; return its exit status, or minus the number of a signal."""
    words = ["/bin/sh", "-c", command]
    confined = SandboxedProcess(Sandbox(tier).request(words, folder, None))
    try:
        confined.wait_until_ready()
        assert select.select([confined.descriptor], [], [], TIMEOUT)[0]
        confined.note_end()
        return confined.status
    finally:
        for stream in confined.streams:
            stream.close()
        confined.close()


def test_an_exit_status_is_no_signal(tmp_path: Path, tier: str) -> None:
    """Perl's `die` ends with 255, and a signal keeps its number."""
    expected = EXACT | AMBIGUOUS if tier == LANDLOCK else EXACT
    assert {command: run(command, tmp_path, tier) for command in expected} == expected


def test_a_command_that_was_ended_has_no_exit_status(tmp_path: Path, tier: str) -> None:
    """The exit status of a command is a number where it ended by itself, and then alone."""
    expected = {"exit 0": 0, "exit 3": 3, "kill -SEGV $$": None}
    results = {
        command: run_in_sandbox(["/bin/sh", "-c", command], tmp_path, Sandbox(tier), TIMEOUT)
        for command in expected
    }
    assert {command: result.exit_status for command, result in results.items()} == expected
    assert [result.problem for result in results.values()] == [
        "",
        "exit status 3",
        "killed by SIGSEGV",
    ]


SHOW = "import os, sys; print(*sorted(os.environ), file=sys.stderr)"


def test_the_environment_is_what_the_book_says(tmp_path: Path, tier: str) -> None:
    """A program finds four variables, and none that the sandbox itself has set on the way."""
    words = [sys.executable, "-c", SHOW]
    ran = run_in_sandbox(words, tmp_path, Sandbox(tier), TIMEOUT)
    assert (ran.problem, ran.stderr) == ("", "HOME LANG PATH TMPDIR\n")


HUGE_PAGES = """
import ctypes, sys
with open("/proc/self/status") as file:
    (on,) = [line.split()[1] for line in file if line.startswith("THP_enabled")]
refused = ctypes.CDLL(None).prctl(41, 0, 0, 0, 0)  # PR_SET_THP_DISABLE
print(on, refused, file=sys.stderr)
"""


def test_huge_pages_are_off_where_memory_is_counted_by_looking(tmp_path: Path, tier: str) -> None:
    """No program has memory that a look does not see by unmapping a part of a huge page."""
    ran = run_in_sandbox([sys.executable, "-c", HUGE_PAGES], tmp_path, Sandbox(tier), TIMEOUT)
    expected = "0 -1\n" if find_shortcomings()["limits"] else "1 0\n"
    assert (ran.problem, ran.stderr) == ("", expected)
