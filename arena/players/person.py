"""A player that is a person at a terminal, without time limits; their keyboard and their screen."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

import click

from arena.players.interrupts import INTERRUPT_SIGNALS
from arena.players.player import NOT_YET
from arena.players.poll_loop import PollLoop
from arena.players.process import Process
from arena.rules import Fault, IllegalAnswerError, PlayerFailure, Question
from arena.wires import (
    AnswerEvent,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
    Narrator,
    TimeLeft,
    decode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
    separate_headings,
    to_printable,
)

HELP_COMMANDS = ("help", "?")  # are never answers
HELP_LINES = (
    "Type help to see this and the question again. Ctrl-D leaves and shows the score.",
    "At a terminal, the arrow keys edit the line and recall earlier ones.",
)


class Person:
    """A person who reads what a narrator says and types; invalid input is asked for again.

    `rules` are what `help` says.
    """

    blocking = timed = False
    hears = True
    errors = exit_reason = void_reason = ""

    def __init__(
        self, narrator: Narrator, keyboard: Keyboard, screen: Screen, rules: str = ""
    ) -> None:
        self._narrator, self._screen = narrator, screen
        self._keyboard = keyboard
        self._help = (*rules.splitlines(), *HELP_LINES)
        self._question: Question[Any]
        self._loop = PollLoop()
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Return no processes."""
        return ()

    def join(self, loop: PollLoop) -> None:
        """Let this loop watch the keyboard."""
        self._loop, keyboard = loop, self._keyboard
        loop.watch(keyboard.descriptor, select.POLLIN, self._read)

    def greet(self, greeting: Greeting) -> None:
        """Show the greeting, as the narrator describes it."""
        self.hear([greeting])

    def hear(self, events: Sequence[Any]) -> None:
        """Show the events."""
        for event in events:
            self._screen.show(separate_headings(encode_event(self._narrator, event)))

    def ask(self, events: Sequence[Any], question: Question[Any], _: TimeLeft) -> object:
        """Show the events and the question, unless there is nothing to decide."""
        self.hear(events)
        self.asked = self.answered = self._loop.woke_at
        self._question = question
        if (answer := self._narrator.find_forced_answer(question)) is not None:
            self.line = self._narrator.say(question, answer)
            return self._take(answer)
        self._show_question()
        return self.answer()

    def repeat(
        self, events: Sequence[Any], question: Question[Any], _: TimeLeft, answer: object
    ) -> None:
        """Show the events; the narrator is told the answer."""
        self.hear(events)
        self._question = question
        if answer is not NOT_YET:
            self._take(answer)

    def look(self) -> None:
        """Do nothing: a person who was just asked has not typed yet."""

    def answer(self) -> object:
        """Return the answer that was typed, or NOT_YET."""
        self.answered = self._loop.woke_at
        while (line := self._keyboard.line()) is not None:
            self.line = line
            if line.lower() in HELP_COMMANDS:
                self._show_help()
                continue
            try:
                typed = decode_answer(self._narrator, self._question, line)
                return self._take(self._question.options.read(typed))
            except (MalformedLineError, IllegalAnswerError) as problem:
                self._screen.show([f"  Invalid: {problem}"])
                self._prompt()
        return PlayerFailure(Fault.CRASHED, "left the table") if self._keyboard.ended else NOT_YET

    def withdraw(self) -> bool:
        """Withdraw the prompt."""
        self.answered = max(self.asked, self._loop.woke_at)
        self._screen.show(["", *encode_withdrawal(self._narrator, self._question)])
        return False

    def _take(self, answer: object) -> object:
        """Return an answer that the narrator was told; it says nothing of what was just typed."""
        if self._narrator.seat is not None:
            self._narrator.tell(AnswerEvent(self._narrator.seat, self._question, answer))
        return answer

    def _show_question(self) -> None:
        """Show the question and a prompt."""
        self._screen.show(separate_headings(encode_question(self._narrator, self._question)))
        self._prompt()

    def _show_help(self) -> None:
        """Show the help, and the question again, which the help has moved out of sight."""
        self._screen.show(self._help)
        self._show_question()

    def _prompt(self) -> None:
        self._keyboard.prompt(self._screen.file)

    def _read(self) -> None:
        self._keyboard.read()
        if self._keyboard.ended:
            self._loop.forget(self._keyboard.descriptor)


MARK_COLOURS = {Mark.HEADING: "cyan", Mark.WON: "green", Mark.LOST: "red"}


class Screen:
    """Shows lines on a terminal, wrapped and coloured, or writes them to another output."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file
        self._terminal = file.isatty()
        dumb = os.environ.get("TERM", "dumb") == "dumb"
        self._colour = self._terminal and not dumb and not os.environ.get("NO_COLOR")

    def show(self, lines: Iterable[str]) -> None:
        """Show these lines."""
        for line in lines:
            for piece in self._wrap(to_printable(line)):
                self.file.write(f"{self._add_colour(piece, line)}\n")

    def _wrap(self, line: str) -> Iterator[str]:
        """Wrap a line at words to the width of the terminal, with an indent."""
        width = shutil.get_terminal_size().columns
        if not self._terminal or len(line) <= width:
            yield line
            return
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        yield from textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)

    def _add_colour(self, piece: str, line: str) -> str:
        if self._colour and isinstance(line, MarkedLine) and line.mark in MARK_COLOURS:
            return click.style(piece, MARK_COLOURS[line.mark], bold=True)
        return piece


PROMPT = "> "


class Keyboard:
    """The lines that a person types; it outlives a match, so that no line is lost.

    It is only read when there is something, or when there is nothing else to do. A terminal is
    left blocking: to change that would change the shell's, too.
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
    """A terminal's keyboard, where a line can be edited, and earlier ones come back.

    A match polls, and line editing wants to wait: so it waits in a thread of its own, and what was
    typed comes through a pipe that the match can poll.
    """

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
