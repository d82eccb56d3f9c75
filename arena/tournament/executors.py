"""Where matches are played: worker processes on this machine, or whatever a plugin brings.

Any `concurrent.futures.Executor` does. Workers play and write nothing; each has a mark in
the environment of what it starts, so that programs which outlive their worker are found.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Protocol

from attrs import frozen

from arena.players.process import kill_all

MARK = "ARENA_TOURNAMENT"


class Workers(Protocol):
    """How a tournament gets its executor; frozen attrs classes whose fields are parameters."""

    @property
    def remote(self) -> bool:
        """Do they see other disks than the coordinator?"""

    def places(self) -> int | None:
        """Give how many matches they can play at once, or None: as many as this machine can."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Give an executor with so many workers.

        `bots` is the folder that holds the entrants' own by their versions; `mark` goes
        into the environment of every program that is started.
        """


@frozen
class Local:
    """Worker processes on this machine."""

    remote = False

    def places(self) -> None:
        """Leave it to what is played: how many programs think at once matters here."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Start them, fresh processes each: a fork would copy the coordinator's threads."""
        return ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=begin, initargs=(mark,)
        )


def begin(mark: str) -> None:
    """Make a process a worker: it leaves Ctrl-C to the coordinator, and dies with it.

    Any other signal ends it at once: an executor would take an exception for a result, and
    wait for ever for a worker that it has asked to end. The coordinator ends its programs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[MARK] = mark
    tempfile.tempdir = str(room(mark))
    threading.Thread(target=_die_with_parent, args=(mark,), daemon=True).start()


def room(mark: str) -> Path:
    """Give the folder for what programs write during their matches."""
    path = Path(tempfile.gettempdir())
    path = path if path.name == f"arena-{mark}" else path / f"arena-{mark}"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _die_with_parent(mark: str) -> None:
    """Wait for the coordinator's death, then leave nothing behind."""
    parent = parent_process()
    assert parent
    connection.wait([parent.sentinel])
    sweep(mark)
    os._exit(1)


@contextmanager
def marked(mark: str, where: Path) -> Iterator[None]:
    """Have what this very process starts carry the mark, and work in this room, for a while."""
    before, tempfile.tempdir = tempfile.tempdir, str(where)
    os.environ[MARK] = mark
    try:
        yield
    finally:
        del os.environ[MARK]
        tempfile.tempdir = before


@contextmanager
def swept(mark: str) -> Iterator[None]:
    """Leave no process and no file of matches behind, nor find any of a run that was cut."""
    try:
        clear(mark)
        yield
    finally:
        clear(mark)


def clear(mark: str) -> None:
    """Kill what a run of this mark has left running, and remove what it has left lying."""
    sweep(mark)
    shutil.rmtree(room(mark), ignore_errors=True)


def sweep(mark: str) -> None:
    """Kill every process that a worker of this mark has started, wherever it went."""
    kill_all(lambda: _marked(mark))


def _marked(mark: str) -> Iterator[int]:
    """Give a pidfd for each process alive that carries the mark in its environment."""
    for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                descriptor = os.pidfd_open(int(name))
                if _carries(name, mark):  # the number is not somebody else's since
                    yield descriptor
                else:
                    os.close(descriptor)


def _carries(process: str, mark: str) -> bool:
    try:
        environment = Path("/proc", process, "environ").read_bytes()
    except OSError:  # it has ended, or is another user's
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")
