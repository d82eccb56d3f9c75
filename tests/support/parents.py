"""Parents of commands: as a terminal's shell starts them, or as nohup, the background or worse do."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

PYTHON = (sys.executable, "-I", "-S", "-c")
BECOME = """
import os, signal, sys
ends = {signal.SIGKILL, signal.SIGSTOP}
ignored = {int(number) for number in sys.argv[1].split()}
for number in signal.valid_signals() - ends:
    signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals() if sys.argv[2] else ())
os.execvp(sys.argv[3], sys.argv[3:])
"""


def build_child_command(
    *words: str, ignored: Sequence[int] = (), blocks_all: bool = False
) -> list[str]:
    """Return the command line of a program whose parent ignores signals, and may block all.

    All other signals have their default dispositions, whatever those of the tests are.
    """
    numbers = " ".join(str(int(number)) for number in ignored)
    return [*PYTHON, BECOME, numbers, "blocks" if blocks_all else "", *words]


def catch_ignored_signals() -> None:
    """Do nothing at signals that are ignored now: a handler, unlike that, is not inherited."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
