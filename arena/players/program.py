"""A player that is a program, which speaks the lines of a codec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.players.pipes import FloodError
from arena.players.player import NOT_YET
from arena.players.poll_loop import PollLoop, now
from arena.players.process import Process, ProgramStartError
from arena.rules import Fault, PlayerFailure, Question
from arena.wires import (
    Codec,
    Greeting,
    MalformedLineError,
    TimeLeft,
    decode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
    to_printable,
)


class Program:
    """A program behind pipes, whose output is read before its end is noticed.

    An answer that is there counts, even if its program is gone by now. `start` gives the
    running process, or raises ProgramStartError, which is then the player's first answer.
    """

    blocking = False
    timed = hears = True

    def __init__(self, start: Callable[[], Process], codec: Codec) -> None:
        self._codec = codec
        self._loop = PollLoop()
        self._line: str | None = None  # the last answer, once it is a whole line
        self._encoding = "utf-8-sig"  # of the next line: a byte-order mark may begin the first
        self._question: Question[Any]
        self._process: Process | None = None
        self._start_problem = ""  # why it did not start
        self._owed = 0  # lines to questions that were taken back, when last looked at
        self.asked = self.begun = self.answered = self.latency = 0.0
        try:
            self._process = start()
        except ProgramStartError as problem:
            self._start_problem = str(problem)
        self._pipes = self._process.pipes if self._process else None

    @property
    def processes(self) -> Sequence[Process]:
        """Return the process to end."""
        return (self._process,) if self._process else ()

    @property
    def line(self) -> str:
        """The last answer as it came, or the part of it that came."""
        if self._line is not None:
            return self._line
        return self._pipes.lines.partial.decode(errors="replace") if self._pipes else ""

    @property
    def errors(self) -> str:
        """The end of what it wrote to its stderr."""
        return self._pipes.tail.decode(errors="replace") if self._pipes else ""

    @property
    def exit_reason(self) -> str:
        """The reason why it ended, with the last line of its stderr."""
        if not self._process:
            return ""
        last = self._last_error
        return f"{self._process.exit_reason}, {last}" if last else self._process.exit_reason

    @property
    def void_reason(self) -> str:
        """The reason why it could not play, once it has ended, if it has said so by its status."""
        if not self._process or not self._process.is_unavailable:
            return ""
        return self._last_error or self._process.exit_reason

    @property
    def _last_error(self) -> str:
        return to_printable(self.errors.strip().rpartition("\n")[2])

    def join(self, loop: PollLoop) -> None:
        """Let this loop watch its pipes from now on."""
        self._loop = loop
        if self._process:
            self._process.join(loop)

    def greet(self, greeting: Greeting) -> None:
        """Send the greeting, if the wire has a line for it."""
        self._write(encode_event(self._codec, greeting))

    def hear(self, events: Sequence[Any]) -> None:
        """Send the events' lines."""
        self._write([line for event in events for line in encode_event(self._codec, event)])

    def ask(self, events: Sequence[Any], question: Question[Any], left: TimeLeft) -> object:
        """Send the lines of events and question at once; return the answer if it is there."""
        self._question, self._line = question, None
        lines = [line for event in events for line in encode_event(self._codec, event)]
        lines += encode_question(self._codec, question, left)
        if self._process:
            self._process.resume()
        self._write(lines)
        self.asked = self.begun = self.answered = now()
        self.latency = 0.0
        pipes = self._pipes
        self._owed = pipes.lines.owed if pipes else 0
        return self._reply() if pipes is None or pipes.hung_up or pipes.lines else NOT_YET

    def repeat(
        self, events: Sequence[Any], question: Question[Any], left: TimeLeft, answer: object
    ) -> None:
        """Ask the program again, and tell it what it was told; its answer is dropped."""
        has_answered = self.ask(events, question, left) is not NOT_YET
        if answer is NOT_YET:
            self.withdraw()
        elif not has_answered:
            self._drop_answer()

    def look(self) -> None:
        """Read its available output."""
        if self._pipes:
            self._pipes.read()

    def answer(self) -> object:
        """Return the answer in its next line, NOT_YET, or a PlayerFailure.

        It may have come at any time since it was asked, or since the last wait was over.
        """
        reply = self._reply()
        if reply is not NOT_YET:
            self.answered = max(self.asked, self._loop.woke_at)
            self.latency = now() - self.answered
            if self._process:
                self._process.pause()
        elif self._pipes and self._pipes.lines.owed != self._owed:
            self._owed, self.begun = self._pipes.lines.owed, max(self.asked, self._loop.woke_at)
        return reply

    def withdraw(self) -> bool:
        """Withdraw the question; its answer is dropped when it comes."""
        self._write(encode_withdrawal(self._codec, self._question))
        if self._line is not None:
            return True
        self._drop_answer()
        return False

    def _drop_answer(self) -> None:
        """Drop the answer to the question when it comes."""
        self.answered = max(self.asked, self._loop.woke_at)
        if self._pipes:
            self._pipes.lines.drop_next_line()
            self._owed = self._pipes.lines.owed

    def _write(self, lines: Sequence[str]) -> None:
        if lines and self._pipes:
            text = "\n".join(lines)
            self._pipes.write(f"{text}\n".encode(errors="replace"))

    def _reply(self) -> object:
        pipes = self._pipes
        if pipes is None:
            return PlayerFailure(Fault.CRASHED, f"did not start: {self._start_problem}")
        try:
            line = pipes.lines.take()
        except FloodError as problem:
            return PlayerFailure(Fault.FLOODED, str(problem))
        if line is not None:
            return self._read(line)
        if pipes.hung_up:
            if pipes.held_open:
                how = "ended before it answered, but another process holds its output open"
            elif pipes.lines:
                how = "closed its output in the middle of a line: an answer ends with a newline"
            else:
                how = "closed its output before it answered"
            return PlayerFailure(Fault.CRASHED, how)
        return NOT_YET

    def _read(self, line: bytes) -> object:
        try:
            self._line = text = line.decode(self._encoding)
            self._encoding = "utf-8"
            if "\0" in text:
                return PlayerFailure(Fault.MALFORMED, "a NUL in the line")
            return decode_answer(self._codec, self._question, text)
        except UnicodeDecodeError as problem:
            self._line = line.decode(errors="replace")
            return PlayerFailure(Fault.MALFORMED, f"not UTF-8: {problem.reason} at {problem.start}")
        except MalformedLineError as problem:
            return PlayerFailure(Fault.MALFORMED, str(problem))
