"""Scripts that run a tournament: what their workers cannot import is said in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # interpreters, and their workers
SCRIPT = """
from arena.tournament import Tournament

tournament = Tournament("gops", ["easy", "random"], matches=4, workers=1, options={"cards": 3})
tournament.run()
"""
UNGUARDED = (
    'no worker starts (arena.rules.errors.UserError: put run() below `if __name__ == "__main__":`,'
    " because each worker of a tournament imports the script); put that right, and run this again"
)


def run_python(*arguments: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], input=typed, capture_output=True, text=True, check=False
    )


def test_a_script_without_a_guard_gets_one_error(tmp_path: Path) -> None:
    """The error says what to write instead, and no worker prints a traceback."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run_python(script)
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1] == f"arena.rules.errors.UserError: {UNGUARDED}"


@pytest.mark.release  # the mistake above is the common one
def test_a_script_on_standard_input_gets_one_error() -> None:
    """The error for a script that workers cannot import names the missing file."""
    done = run_python("-", typed=SCRIPT)
    assert done.stderr.count("Traceback") == 1
    assert re.fullmatch(
        r".*UserError: no worker starts \(FileNotFoundError: .*/<stdin>'\); put that right.*",
        done.stderr.splitlines()[-1],
    )
