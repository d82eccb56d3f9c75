"""Worker processes: a Ctrl-C of the terminal is the coordinator's affair, from their first moment."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import active_children
from pathlib import Path

import pytest

from arena.tournament.workers.leftovers import MARK_VARIABLE, RunMark
from arena.tournament.workers.local_executors import LocalExecutors
from tests.support.programs import TIMEOUT

pytestmark = pytest.mark.slow


def test_an_interrupt_while_a_worker_starts(mark: str, tmp_path: Path) -> None:
    """A worker that is just starting survives an interrupt, and prints nothing about it."""
    before = active_children()  # of other tests
    with LocalExecutors().open(1, tmp_path, mark) as pool:
        pid = pool.submit(os.getpid)
        (worker,) = (child for child in active_children() if child not in before)
        assert worker.pid
        os.kill(worker.pid, signal.SIGINT)
        assert pid.result(timeout=TIMEOUT) == worker.pid
        after = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ())
        assert after.result(timeout=TIMEOUT) == set()  # what it starts itself can be interrupted
    RunMark(mark).clean_up()


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as taken:
        taken.callback(resource.setrlimit, resource.RLIMIT_NOFILE, most)
        few = max(int(path.name) for path in Path("/proc/self/fd").iterdir()) + 10  # those open fit
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most[1]))
        with suppress(OSError):
            while True:
                taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield


def test_a_run_without_descriptors_tidies_up(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run keeps some descriptors to find its processes and files at the end."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ExitStack() as poor:
        with RunMark(mark).clean_up_around():
            (RunMark(mark).make_scratch_folder() / "folder").mkdir()
            (RunMark(mark).make_scratch_folder() / "folder/file").touch()
            program = subprocess.Popen(
                ["sh", "-c", "echo; exec sleep 600"],
                env={**os.environ, MARK_VARIABLE: mark}, stdout=subprocess.PIPE,
            )  # fmt: skip
            assert program.stdout
            program.stdout.readline()  # until then the system may not show its mark
            program.stdout.close()
            poor.enter_context(no_descriptor_left())
        assert program.wait(timeout=TIMEOUT) == -signal.SIGKILL
    assert [*tmp_path.iterdir()] == []


def test_programs_that_are_being_started_are_killed(mark: str) -> None:
    """A process that is just replacing its program is killed, though it shows no mark."""
    again = 'exec sh -c "$0" "$0"'
    command, environment = ["sh", "-c", again, again], {**os.environ, MARK_VARIABLE: mark}
    survivors = 0
    for _ in range(8):
        program = subprocess.Popen(command, env=environment)
        RunMark(mark).kill_programs()
        survivors += program.poll() is None
        program.kill()
        program.wait()
    assert survivors == 0
