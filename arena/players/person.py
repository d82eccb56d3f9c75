"""A player that is a person at a terminal: friendly, and not held to the clock."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Sequence
from typing import IO, Any

from arena.codec import Codec, Greeting, Malformed
from arena.outcome import Failed, Fault
from arena.players.loop import Loop
from arena.players.player import NOT_YET
from arena.players.process import Process
from arena.printable import printable
from arena.table import Illegal, Question

PROMPT = "> "


class Keyboard:
    """Lines that a person types; it outlives a match, so that nothing typed is lost.

    The terminal is left blocking: to change that would change the shell's too. It is
    only read when there is something, or when there is nothing else to do.
    """

    def __init__(self, file: IO[Any]) -> None:
        self.descriptor = file.fileno()
        self.ended = False  # will nothing more be typed? (Ctrl-D)
        self._typed = bytearray()

    def read(self) -> None:
        """Take in what was typed, or wait for it."""
        chunk = os.read(self.descriptor, 4096)
        self._typed += chunk
        self.ended = not chunk

    def line(self) -> str | None:
        """Give the next line that was typed, without blanks around it, or None."""
        end = self._typed.find(b"\n")
        if end < 0 and not (self.ended and self._typed):  # the last line needs no newline
            return None
        end = len(self._typed) if end < 0 else end
        line = self._typed[:end].decode(errors="replace").strip()
        del self._typed[: end + 1]
        return line


class Person:
    """Somebody who reads a view's lines and types; what cannot be is asked again."""

    blocking = False
    timed = False
    errors = epitaph = ""

    def __init__(self, view: Codec, keyboard: Keyboard, screen: IO[str]) -> None:
        self._view, self._screen = view, screen
        self._keyboard = keyboard
        self._question: Question[Any]
        self._loop = Loop()
        self.asked = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Give none."""
        return ()

    def join(self, loop: Loop) -> None:
        """Have this loop look at the keyboard."""
        self._loop, keyboard = loop, self._keyboard
        loop.watch(keyboard.descriptor, select.POLLIN, self._read)

    def greet(self, greeting: Greeting) -> None:
        """Let the view say what is played."""
        self._show(self._view.tell(greeting))

    def hear(self, events: Sequence[Any]) -> None:
        """Show what happens."""
        for event in events:
            self._show(self._view.tell(event))

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Show what happens, and the question."""
        self.hear(events)
        self._question = question
        self._show(self._view.ask(question))
        self._prompt()
        self.asked = self.answered = self._loop.woke
        return self.answer()

    def look(self) -> None:
        """Do nothing: who has just been asked has not typed yet, or it was read."""

    def answer(self) -> object:
        """Give what was typed, once it is an answer."""
        self.answered = self._loop.woke
        while (line := self._keyboard.line()) is not None:
            self.line = line
            try:
                return self._question.options.read(self._view.read(self._question, self.line))
            except (Malformed, Illegal) as problem:
                self._show([f"  That cannot be: {problem}"])
                self._prompt()
        return Failed(Fault.CRASHED, "left the table") if self._keyboard.ended else NOT_YET

    def _show(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._screen.write(f"{printable(line)}\n")

    def _prompt(self) -> None:
        self._screen.write(PROMPT)
        self._screen.flush()

    def _read(self) -> None:
        self._keyboard.read()
        if self._keyboard.ended:
            self._loop.forget(self._keyboard.descriptor)
