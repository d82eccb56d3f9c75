"""A test of a program's behaviour at the end of its input, outside a match."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.host import PlayerFactory, WorkingFolder, temporary_folder
from arena.players import PollLoop, Process, defer_signals, end_processes, wait_for_end


@frozen
class ProgramExit:
    """The end of a program."""

    by_itself: bool  # whether it ended within the grace period
    output: str  # complete, or the beginning of a long output
    leftover_count: int  # processes of its session alive at that time


def feed_and_end(factory: PlayerFactory, lines: Sequence[str], grace: float) -> ProgramExit | None:
    """Start a program, send it these lines, and end its input; return None if it does not start."""
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
    pipes.read()  # its last output may still be in the pipe
    said = pipes.lines.partial + pipes.late_output
    return ProgramExit(by_itself, said.decode(errors="replace"), left)


def _end_input(process: Process, seconds: float) -> bool:
    """End a program's input, and return whether it ends within these seconds."""
    loop = PollLoop()
    process.begin_shutdown(loop)
    wait_for_end([process], loop, seconds)
    return not process.running
