"""A player that is a program speaking a codec's lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

from arena.codec import Codec, Greeting, Malformed
from arena.outcome import Failed, Fault
from arena.players.lines import Flood
from arena.players.loop import Loop
from arena.players.player import NOT_YET
from arena.players.process import NotStarted, Process
from arena.printable import printable
from arena.table import Question


class Program:
    """A program behind pipes: it is read before its hang-up is looked at.

    An answer that is there counts, even if its program is gone by now. `start` gives the
    running process, or raises NotStarted, which is then the player's first answer.
    """

    blocking = False
    timed = True

    def __init__(self, start: Callable[[], Process], codec: Codec) -> None:
        self._codec = codec
        self._loop = Loop()
        self._question: Question[Any]
        self._process: Process | None = None
        self._never = ""  # why it did not start
        self.asked = self.answered = self.latency = 0.0
        self.line = ""
        try:
            self._process = start()
        except NotStarted as problem:
            self._never = str(problem)

    @property
    def processes(self) -> Sequence[Process]:
        """Give the one that has to be ended."""
        return (self._process,) if self._process else ()

    @property
    def errors(self) -> str:
        """The end of what it wrote to its stderr."""
        return self._process.pipes.tail.decode(errors="replace") if self._process else ""

    @property
    def epitaph(self) -> str:
        """How it ended, with the last it said on its stderr."""
        if not self._process:
            return ""
        last = printable(self.errors.strip().rpartition("\n")[2])
        return f"{self._process.epitaph}, {last}" if last else self._process.epitaph

    def join(self, loop: Loop) -> None:
        """Have this loop look at its pipes from now on."""
        self._loop = loop
        if self._process:
            self._process.pipes.join(loop)

    def greet(self, greeting: Greeting) -> None:
        """Send the greeting, if the wire has a line for it."""
        self._write(self._codec.tell(greeting))

    def hear(self, events: Sequence[Any]) -> None:
        """Send the events' lines."""
        self._write(line for event in events for line in self._codec.tell(event))

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Send the events' lines and the question's in one go; the answer may be there."""
        codec = self._codec
        self._question = question
        lines = [line for event in events for line in codec.tell(event)]
        lines += codec.ask(question)
        self._write(lines)
        self.asked = self.answered = monotonic()
        self.latency = 0.0
        return self._reply()

    def answer(self) -> object:
        """Give what its next line answers, NOT_YET, or that it Failed."""
        self.latency = self._loop.blind  # its doubt is the player's benefit
        self.answered = max(self.asked, self._loop.woke - self.latency)
        return self._reply()

    def _write(self, lines: Iterable[str]) -> None:
        text = "".join([f"{line}\n" for line in lines])
        if text and self._process:
            self._process.pipes.write(text.encode(errors="replace"))

    def _reply(self) -> object:
        if self._process is None:
            return Failed(Fault.CRASHED, f"did not start: {self._never}")
        pipes = self._process.pipes
        try:
            line = pipes.lines.take()
        except Flood as problem:
            self.line = pipes.lines.partial.decode(errors="replace")
            return Failed(Fault.FLOODED, str(problem))
        if line is not None:
            return self._read(line)
        self.line = pipes.lines.partial.decode(errors="replace")
        if pipes.hung_up:
            return Failed(Fault.CRASHED, "ended its output before it answered")
        return NOT_YET

    def _read(self, line: bytes) -> object:
        try:
            self.line = text = line.decode()
            if "\0" in text:
                return Failed(Fault.MALFORMED, "a NUL in the line")
            return self._codec.read(self._question, text)
        except UnicodeDecodeError as problem:
            self.line = line.decode(errors="replace")
            return Failed(Fault.MALFORMED, f"not UTF-8: {problem.reason} at {problem.start}")
        except Malformed as problem:
            return Failed(Fault.MALFORMED, str(problem))
