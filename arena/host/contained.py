"""Running a command of a stranger's in a sandbox, from its start to its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import frozen

from arena.players import Loop, Process, end, see_out

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


@frozen
class Ran:
    """How a command came out that ran in a sandbox."""

    why: str  #: what went wrong, in words; nothing where its exit status was 0
    said: str  #: the end of what it wrote to standard error
    in_time: bool = True  #: did it end by itself, or by a limit of the sandbox?


def run_contained(
    words: Sequence[str],
    folder: Path,
    sandbox: Sandbox | None,
    seconds: float,
    *,
    home: Path | None = None,
    given: bytes = b"",
    log: IO[bytes] | None = None,
) -> Ran:
    """Run a command in a sandbox; return how it ended.

    Args:
        words: its command line, the program as an absolute path.
        folder: where it works, and may write.
        sandbox: what contains it; None: nothing does, as it is trusted.
        seconds: that it may take; then all of it is ended.
        home: what else it may read; None: the files that `words` name.
        given: its standard input.
        log: is written what it writes to standard error, up to a limit, and closed.

    Raises:
        OSError: where the sandbox fails, which is no fault of the command.
    """
    process = Process(words, folder, log=log, sandbox=sandbox, home=home)
    loop = Loop()
    try:
        process.pipes.write(given)
        process.begin_shutdown(loop)
        see_out([process], loop, seconds)
        in_time = not process.running
    finally:
        end([process], 0.0)
    said = process.pipes.tail.decode(errors="replace")
    if not in_time:
        return Ran(f"no end within {seconds:g} s", said, in_time=False)
    why = process.exit_reason
    return Ran(process.unkept if why == "exit status 0" else why, said)
