"""What a program does when its input ends, tried by itself and not in a match."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.host import PlayerFactory, WorkingFolder, temporary
from arena.players import Loop, Process, deferred, end, see_out


@frozen
class Ending:
    """How a program has ended."""

    by_itself: bool  # within the grace
    said: str  # all, or the beginning of much
    left: int  # processes of its session that were alive then


def feed(factory: PlayerFactory, lines: Sequence[str], grace: float) -> Ending | None:
    """Start a program, send it these lines at once, and end its input; None: it won't start."""
    processes: list[Process] = []
    with temporary() as folder:
        try:
            with deferred():
                processes += factory.player(0, WorkingFolder(folder), None).processes
            for process in processes:
                return _ending(process, "".join(f"{line}\n" for line in lines), grace)
        finally:
            end(processes, 0.0)
    return None


def _ending(process: Process, text: str, grace: float) -> Ending:
    pipes = process.pipes
    pipes.write(text.encode(errors="replace"))
    by_itself = _ended(process, grace)
    left = process.left(grace) if by_itself else 0
    pipes.read()  # what it said last may be in the pipe still
    said = pipes.lines.partial + pipes.late
    return Ending(by_itself, said.decode(errors="replace"), left)


def _ended(process: Process, seconds: float) -> bool:
    """End its input, and see whether it ends within these seconds."""
    loop = Loop()
    process.begin_shutdown(loop)
    see_out([process], loop, seconds)
    return not process.running
