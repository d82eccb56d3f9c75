"""Worker processes: what signals do to them while they start, and when their parent has died."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.players import reset_signals
from tests.support.programs import TIMEOUT

pytestmark = pytest.mark.slow  # new interpreters

EARLY_INTERRUPT = """
import os, signal, sys
if "--multiprocessing-fork" in sys.argv:
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getppid(), signal.SIGINT)
"""
"""A module that each Python imports as it starts: a worker has Ctrl-C come to it, and its parent."""
SUBMIT = """
import os
from arena.players import WorkerPool
from arena.players.interrupts import SignalInterrupt, raise_on_signals

if __name__ == "__main__":
    with WorkerPool(1) as pool:
        try:
            with raise_on_signals():
                pool.submit(os.getpid).result()
        except SignalInterrupt:
            print(pool.submit(os.getpid).result(), flush=True)
"""
KILLED = """
import os, signal
from arena.players import WorkerPool

if __name__ == "__main__":
    pool = WorkerPool(1)
    print(pool.submit(os.getpid).result(), flush=True)
    input()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_interrupt_while_workers_start_is_the_parents_affair(tmp_path: Path) -> None:
    """They say nothing, and work on."""
    (tmp_path / "sitecustomize.py").write_text(EARLY_INTERRUPT)
    script = tmp_path / "submit.py"
    script.write_text(SUBMIT)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=TIMEOUT, check=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.strip().isdecimal()


def test_a_worker_ends_when_its_parent_was_killed(tmp_path: Path) -> None:
    """Though nobody tells it."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        worker = os.pidfd_open(int(parent.stdout.readline()))
        parent.stdin.write(b"\n")
        parent.stdin.close()
        assert parent.wait(TIMEOUT) == -signal.SIGKILL
        assert select.select([worker], [], [], TIMEOUT)[0]
        os.close(worker)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_fork_that_works_has_no_handlers_of_its_command(number: signal.Signals) -> None:
    """They would raise while it exits; what is ignored, as under nohup, stays so."""
    for before, after in ((signal.SIG_IGN, signal.SIG_IGN), (lambda *_: None, signal.SIG_DFL)):
        if not (child := os.fork()):
            signal.signal(number, before)
            reset_signals()
            expected = {number: after, signal.SIGINT: signal.SIG_IGN}
            os._exit(any(signal.getsignal(each) != handler for each, handler in expected.items()))
        assert os.waitpid(child, 0)[1] == 0
