"""The keyboard: lines from a pipe, or from a terminal with line editing and history.

The terminal is left blocking: to change that would change the shell's too. A match polls,
and line editing wants to wait: so it waits in a thread of its own, and what was typed comes
through a pipe that the match can poll.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from arena.players.interrupts import INTERRUPT_SIGNALS
from arena.players.poll_loop import PollLoop

PROMPT = "> "


class Keyboard:
    """The lines that a person types; it outlives a match, so that no line is lost.

    It is only read when there is something, or when there is nothing else to do.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.ended = False  # will nothing more be typed? (Ctrl-D)
        self._typed = bytearray()

    def prompt(self, screen: IO[str]) -> None:
        """Show the prompt."""
        screen.write(PROMPT)
        screen.flush()

    def read(self) -> None:
        """Read what was typed, or wait for it."""
        chunk = os.read(self.descriptor, 4096)
        self._typed += chunk
        self.ended = not chunk

    def line(self) -> str | None:
        """Return the next typed line, stripped, or None."""
        end = self._typed.find(b"\n")
        if end < 0 and not (self.ended and self._typed):  # the last line needs no newline
            return None
        end = len(self._typed) if end < 0 else end
        line = self._typed[:end].decode(errors="replace").strip()
        del self._typed[: end + 1]
        return line

    def wait(self) -> str | None:
        """Wait for the next typed line; return None at the end."""
        loop = PollLoop()
        loop.watch(self.descriptor, select.POLLIN, self.read)
        while (line := self.line()) is None and not self.ended:
            loop.wait(inf)
        return line


class LineEditor(Keyboard):
    """A terminal's keyboard, where a line can be edited, and earlier ones come back."""

    def __init__(self) -> None:
        import readline

        readline.parse_and_bind("set enable-bracketed-paste off")  # it would outlive Ctrl-C
        readline.parse_and_bind("tab: self-insert")  # there is nothing to complete
        reading, self._writing = os.pipe()
        super().__init__(reading)
        self._prompts: SimpleQueue[str] = SimpleQueue()
        self._typing = False
        Thread(target=self._run, daemon=True).start()

    def prompt(self, screen: IO[str]) -> None:
        """Let the person type a line; one that is being typed already goes on."""
        screen.flush()
        if self._typing:
            super().prompt(screen)
        else:
            self._typing = True
            self._prompts.put(PROMPT)

    def line(self) -> str | None:
        """Return the next typed line, stripped, or None."""
        line = super().line()
        self._typing = self._typing and line is None
        return line

    def _run(self) -> None:
        """Edit one line after the other, when there is a prompt for it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPT_SIGNALS)  # these are for the match
        while True:
            line = self._read_line(self._prompts.get())
            if line is None:
                os.close(self._writing)
                return
            os.write(self._writing, f"{line}\n".encode(errors="surrogateescape"))

    def _read_line(self, prompt: str) -> str | None:
        """Return a line; None where nothing more comes, and something if it is no text."""
        try:
            return input(prompt)
        except UnicodeDecodeError:
            return "\N{REPLACEMENT CHARACTER}"
        except (EOFError, OSError):
            with suppress(OSError):
                print()  # noqa: T201  # the cursor stands behind the prompt
            return None


@contextmanager
def open_keyboard() -> Iterator[Keyboard]:
    """Open the keyboard; restore the terminal's settings afterwards."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and find_spec("readline")):
        yield Keyboard(sys.stdin.fileno())
        return
    before: list[Any] = termios.tcgetattr(sys.stdin)
    try:
        yield LineEditor()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
