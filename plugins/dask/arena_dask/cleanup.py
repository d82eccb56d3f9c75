"""Cleaning up behind a worker, however it ends: a small process that outlives it.

`python -m arena_dask.cleanup MARK ROOM` waits for the end of its standard input, which the
worker holds and nobody else. Then it kills what carries the mark, and removes the room.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arena.extend import MARK_VARIABLE, kill_programs
from arena.host import remove_folder


def start(mark: str, room: Path) -> subprocess.Popen[bytes]:
    """Start a keeper, in a session of its own, so that Ctrl-C at a worker does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena_dask.cleanup", mark, room],
        stdin=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != MARK_VARIABLE},
        start_new_session=True,
    )


def dismiss(keeper: subprocess.Popen[bytes]) -> None:
    """Have it clean up now, and see it done."""
    assert keeper.stdin
    keeper.stdin.close()
    keeper.wait()


def main(mark: str, room: str) -> None:
    """Wait, then leave nothing behind."""
    sys.stdin.buffer.read()
    kill_programs(mark)
    remove_folder(Path(room))


if __name__ == "__main__":
    main(*sys.argv[1:])
