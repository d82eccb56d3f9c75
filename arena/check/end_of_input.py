"""What a program does when its input ends, tried by itself and not in a match."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.host import PlayerFactory, WorkingFolder, temporary_folder
from arena.players import PollLoop, Process, defer_signals, end_processes, wait_for_end


@frozen
class ProgramExit:
    """How a program has ended."""

    by_itself: bool  # within the grace
    output: str  # all, or the beginning of much
    leftover_count: int  # processes of its session that were alive then


def feed_and_end(factory: PlayerFactory, lines: Sequence[str], grace: float) -> ProgramExit | None:
    """Start a program, send it these lines at once, and end its input; None: it won't start."""
    processes: list[Process] = []
    with temporary_folder() as folder:
        try:
            with defer_signals():
                processes += factory.create_player(0, WorkingFolder(folder), None).processes
            for process in processes:
                return _observe_end(process, "".join(f"{line}\n" for line in lines), grace)
        finally:
            end_processes(processes, 0.0)
    return None


def _observe_end(process: Process, text: str, grace: float) -> ProgramExit:
    pipes = process.pipes
    pipes.write(text.encode(errors="replace"))
    by_itself = _end_input(process, grace)
    left = process.count_leftovers(grace) if by_itself else 0
    pipes.read()  # what it said last may be in the pipe still
    said = pipes.lines.partial + pipes.late_output
    return ProgramExit(by_itself, said.decode(errors="replace"), left)


def _end_input(process: Process, seconds: float) -> bool:
    """End its input, and see whether it ends within these seconds."""
    loop = PollLoop()
    process.begin_shutdown(loop)
    wait_for_end([process], loop, seconds)
    return not process.running
