"""A pseudo-terminal in which `arena` runs, as for a person."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from pathlib import Path
from time import monotonic
from typing import Self

from tests.support.command import ARENA, READ_AT_START
from tests.support.command_forks import CommandFork, start_forks
from tests.support.programs import TIMEOUT, environment

PLAIN = {"TERM": "dumb", "NO_COLOR": "", "COLUMNS": ""}


class Terminal:
    """A terminal of 80 columns and 24 rows, on which a command runs."""

    def __init__(self, *words: str, mark: str, folder: Path, **variables: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(slave)
        more = environment(mark, **PLAIN | variables)
        self.process: CommandFork | subprocess.Popen[bytes]
        if READ_AT_START.isdisjoint(variables):
            forks = start_forks()
            self.process = forks.start(words, folder, more, [slave] * 3, leads_session=True)
        else:
            self.process = subprocess.Popen(
                [ARENA, *words], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=more,
                start_new_session=True,
            )  # fmt: skip
        self.slave = slave
        self.shown = ""

    def read_until(self, text: str) -> str:
        """Read until a text is shown or the program has ended; return the new output."""
        found, deadline = b"", monotonic() + TIMEOUT
        while text not in (shown := found.decode(errors="replace").replace("\r\n", "\n")):
            if not select.select([self.master], [], [], 0.1)[0]:
                assert monotonic() < deadline, shown
                if self.process.poll() is not None and not self._has_output():
                    break
                continue
            found += os.read(self.master, 4096)
        self.shown += shown
        return shown

    def type(self, text: str) -> None:
        """Type a text; surrogates such as `\\udcff` are sent as the bytes that they stand for."""
        os.write(self.master, text.encode(errors="surrogateescape"))

    def enter_line(self, line: str) -> str:
        """Type a line; return the output up to the next prompt."""
        self.type(f"{line}\n")
        return self.read_until("\n> ")

    def wait_for_exit(self) -> int:
        """Read the rest of the output; return the exit status."""
        self.read_until("\0")
        return self.process.wait(TIMEOUT)

    def _has_output(self) -> bool:
        return bool(select.select([self.master], [], [], 0)[0])

    def __enter__(self) -> Self:
        """Return the terminal."""
        return self

    def __exit__(self, *problem: object) -> None:
        """Kill the program, and close the terminal."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)
