"""Scripts that run a tournament: what their workers cannot import is said before one starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
from arena.tournament import Tournament

tournament = Tournament("gops", ["easy", "random"], matches=4, workers=2, options={"cards": 3})
tournament.run()
"""
GUARDED = """
if __name__ == "__main__":
    print(tournament.run())
"""
UNGUARDED = (
    'script.py, line 5: put this below `if __name__ == "__main__":`, because each worker of a'
    " tournament imports the script"
)
TYPED = (
    "a tournament cannot run from a script on standard input, because its workers import the script:"
    ' save it to a file, with run() below `if __name__ == "__main__":`'
)


def run_python(*arguments: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a Python interpreter, with this text on its standard input."""
    return subprocess.run(
        [sys.executable, *arguments], input=typed, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("typed", ["", SCRIPT])
def test_a_script_that_workers_cannot_import_gets_one_error(tmp_path: Path, typed: str) -> None:
    """The error says what to write instead, and no worker prints a traceback."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run_python("-" if typed else script, typed=typed)
    assert done.stderr.count("Traceback") == 1
    message = TYPED if typed else UNGUARDED
    assert done.stderr.splitlines()[-1] == f"arena.rules.errors.UserError: {message}"


def test_a_script_with_a_guard_runs_a_tournament(tmp_path: Path) -> None:
    """Workers import it without running anything."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("tournament.run()", GUARDED))
    done = run_python(script)
    assert (done.stdout, done.stderr) == ("played\n", "")
