"""What a program does when its input ends, tried by itself and not in a match."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from attrs import frozen

from arena.entrants import Maker
from arena.interrupts import deferred
from arena.players.loop import Loop
from arena.players.process import Process, end, members


@frozen
class Ending:
    """How a program has ended."""

    by_itself: bool  # within the grace
    said: str  # all, or the beginning of much
    left: int  # processes of its session that were alive then


def feed(maker: Maker, lines: Sequence[str], grace: float) -> Ending | None:
    """Start a program, send it these lines at once, and end its input; None: it won't start."""
    processes: list[Process] = []
    with TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as folder:
        try:
            with deferred():
                processes += maker.player(0, Path(folder), None).processes
            for process in processes:
                return _ending(process, "".join(f"{line}\n" for line in lines), grace)
        finally:
            end(processes, 0.0)
    return None


def _ending(process: Process, text: str, grace: float) -> Ending:
    pipes = process.pipes
    pipes.write(text.encode(errors="replace"))
    by_itself = _ended(process, grace)
    left = _left(process, grace) if by_itself else 0
    pipes.read()  # what it said last may be in the pipe still
    said = pipes.lines.partial + pipes.late
    return Ending(by_itself, said.decode(errors="replace"), left)


def _ended(process: Process, seconds: float) -> bool:
    """End its input, and see whether it ends within so many seconds."""
    loop, gone = Loop(), list[bool]()
    exit_ = os.pidfd_open(process.session)
    loop.watch(exit_, select.POLLIN, lambda: gone.append(True))
    process.pipes.join(loop)
    process.pipes.finish()
    until = monotonic() + seconds
    while not gone and monotonic() < until:
        loop.wait(until)
    os.close(exit_)
    return bool(gone)


def _left(process: Process, seconds: float) -> int:
    """Count what a program that has ended left behind, after so many seconds more."""
    left, poll = {*members({process.session})}, select.poll()
    for descriptor in left:
        poll.register(descriptor, select.POLLIN)
    running, until = {*left}, monotonic() + seconds
    while running and monotonic() < until:
        for descriptor, _ in poll.poll(max(0.0, until - monotonic()) * 1000):
            poll.unregister(descriptor)
            running.remove(descriptor)
    for descriptor in left:
        os.close(descriptor)
    return len(running)
