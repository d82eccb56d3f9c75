"""The command line: `arena COMMAND`. Here are its first steps, before the rest is imported.

That import takes a moment, in which Python would answer an interrupt with a traceback.
Until a command begins there is nothing to tidy up: so an interrupt ends the process at once,
in one line. Standard streams that are closed are opened on nothing, or the next file that is
opened would get their numbers, and be written to as if it were the screen.

So this module imports next to nothing itself; `command_group` has the commands.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys

TYPE_CHECKING = False  # typing takes a moment, too
if TYPE_CHECKING:
    from typing import NoReturn

    from _typeshed import ReadableBuffer

STANDARD_DESCRIPTORS = (0, 1, 2)


def main() -> NoReturn:
    """Run the command in the words of this process, and end with its exit status."""
    set_signals()
    open_streams()
    from arena.cli.command_group import run

    try:
        sys.exit(run())
    finally:
        if not has_open_files():  # nothing is left to be written
            gc.freeze()  # or all modules are taken apart, which is a fifth of a short command


def has_open_files() -> bool:
    """Whether anything is open beside the standard streams."""
    listing = 1  # which is open itself while it is read
    try:
        descriptors = os.listdir("/proc/self/fd")  # noqa: PTH208  # pathlib takes a moment, too
    except OSError:
        return True
    return len(descriptors) > len(STANDARD_DESCRIPTORS) + listing


def set_signals() -> None:
    """Let an interrupt end the process, whatever signals its parent has blocked.

    What a parent ignores stays ignored, as under nohup: but for SIGTERM, which is to end it in any
    case, and SIGCHLD, without which nobody learns how a child has ended.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, _end)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class LossyFile(io.FileIO):
    """A file that drops what cannot be written, as on a full disk or a closed pipe."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write data, or drop it."""
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data))


def open_streams() -> None:
    """Ensure that the three standard streams are open, and that logging cannot fail."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) in STANDARD_DESCRIPTORS:
        os.set_inheritable(descriptor, True)  # workers write there, too
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115  # it is a number
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    lossy = io.BufferedWriter(LossyFile(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(lossy, errors="backslashreplace", line_buffering=True)


def _end(number: int, _: object) -> None:
    try:
        os.write(2, b"arena: interrupted\n")
    finally:  # also where nobody can read that
        os._exit(128 + number)
