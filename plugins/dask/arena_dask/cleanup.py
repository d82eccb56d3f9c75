"""A small process that cleans up after a worker, however the worker ends.

`python -m arena_dask.cleanup MARK WORKSPACE` waits for the end of its standard input, which only
the worker holds open. Then it kills all processes with the mark, and removes the workspace.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arena.host import remove_folder
from arena.players import build_module_command
from arena.tournament.workers.leftovers import MARK_VARIABLE, RunMark


def start(mark: str, workspace: Path) -> subprocess.Popen[bytes]:
    """Start a cleanup process, in its own session, so that Ctrl-C at a worker does not reach it."""
    return subprocess.Popen(
        build_module_command("arena_dask.cleanup", mark, str(workspace)),
        stdin=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != MARK_VARIABLE},
        start_new_session=True,
    )


def dismiss(cleaner: subprocess.Popen[bytes]) -> None:
    """Start the clean-up of a cleanup process now, and wait for its end."""
    assert cleaner.stdin
    cleaner.stdin.close()
    cleaner.wait()


def main(mark: str, workspace: str) -> None:
    """Wait for the end of standard input, then clean up."""
    sys.stdin.buffer.read()
    RunMark(mark).kill_programs()
    remove_folder(Path(workspace))


if __name__ == "__main__":
    main(*sys.argv[1:])
