"""The three pipes of a program, none of which ever blocks the host, and the lines that come out."""

from __future__ import annotations

import os
import select
from typing import IO

from arena.players.poll_loop import PollLoop

CHUNK_BYTES = 1 << 16  # what one look takes, so that a flood does not hold up the others
MAX_TAIL_BYTES = 4096  # bytes of stderr that are kept for the result
MAX_LOG_BYTES = 16 << 20  # bytes of stderr that are copied: a program may not fill the host's disk
TRUNCATION_NOTICE = b"\n... the rest of this log was not kept\n"


class Pipes:
    """The standard input, output and error of a program.

    Its stderr is drained always, or it would block there: the end of it is kept, and it is
    copied to `log` where there is one, up to MAX_LOG_BYTES.
    """

    def __init__(self, ends: tuple[IO[bytes], IO[bytes], IO[bytes]], log: IO[bytes] | None) -> None:
        self._ends = ends
        self._input, self._output, self._errors = [end.fileno() for end in ends]
        self._log = log
        self._loggable = MAX_LOG_BYTES
        self._unsent = bytearray()
        self._finishing = False
        self._loop = PollLoop()
        self.lines = LineBuffer()
        self.hung_up = False  # will nothing more come out?
        self.held_open = False  # does somebody else hold it open?
        self.tail = b""
        self.late_output = b""  # the beginning of what it said when it was to end
        for end in ends:
            os.set_blocking(end.fileno(), False)

    def join(self, loop: PollLoop) -> None:
        """Let this loop, and no other, watch the pipes from now on."""
        self._forget(self._loop)
        self._loop = loop
        loop.watch(self._errors, select.POLLIN, self._drain_errors)
        if not self.hung_up:
            loop.watch(self._output, select.POLLIN, self.read)
        if self._unsent:
            loop.watch(self._input, select.POLLOUT, self._flush)

    def write(self, data: bytes) -> None:
        """Send data, as much as the pipe takes now, and the rest later."""
        if self._unsent:
            self._unsent += data
            return
        sent = self._send(data)
        if sent < len(data):
            self._unsent += data[sent:]
            self._loop.watch(self._input, select.POLLOUT, self._flush)

    def read(self) -> bool:
        """Read the available output; return whether there was any."""
        chunk = self._take(self._output)
        if chunk is None:
            return False
        if not chunk:
            self.hung_up = True
        elif self._finishing:
            self.late_output = (self.late_output + chunk)[:MAX_TAIL_BYTES]
        else:
            self.lines.feed(chunk)
            if self.lines.is_full:  # enough for a verdict, when it is asked
                self._loop.forget(self._output)
        return bool(chunk)

    def finish_reading(self) -> None:
        """Read the rest of the output of a program that has ended; others may hold it open."""
        if self._finishing:
            return
        while not self.lines.is_full and self.read():
            pass
        if not self.hung_up:
            self.hung_up = self.held_open = True
            self._loop.forget(self._output)

    def finish(self) -> None:
        """Close the program's input when everything is sent, and ignore further answers."""
        self._finishing = True
        if not self._unsent:
            self._ends[0].close()

    @property
    def has_output(self) -> bool:
        """Whether there is output that nobody has taken, or nothing more will come."""
        return self.hung_up or len(self.lines) > 0

    def begin_log(self, log: IO[bytes] | None) -> None:
        """Let standard error belong to another match from now on, and be copied to its log."""
        self._drain_errors()
        self._log, self._loggable, self.tail = log, MAX_LOG_BYTES, b""

    def end_log(self) -> None:
        """Read the rest of standard error of a match, and copy no more of it."""
        self._drain_errors()
        self._log = None

    def close(self) -> None:
        """Read the rest of standard error, and close all pipes."""
        self._forget(self._loop)
        self._drain_errors()
        for end in self._ends:
            end.close()
        if self._log:
            self._log.close()

    def _forget(self, loop: PollLoop) -> None:
        for end in self._ends:
            if not end.closed:  # or its number may be somebody else's
                loop.forget(end.fileno())

    def _send(self, data: bytes | bytearray) -> int:
        """Return the number of bytes sent, or all of them if the program no longer reads."""
        try:
            return os.write(self._input, data)
        except BlockingIOError:
            return 0
        except OSError:  # that is no fault: its answers may all be there
            return len(data)

    def _flush(self) -> None:
        del self._unsent[: self._send(self._unsent)]
        if not self._unsent:
            self._loop.forget(self._input)
            if self._finishing:
                self._ends[0].close()

    def _drain_errors(self) -> None:
        if chunk := self._take(self._errors):
            self.tail = (self.tail + chunk)[-MAX_TAIL_BYTES:]
            if self._log and self._loggable:
                self._log.write(chunk[: self._loggable])
                if len(chunk) >= self._loggable:
                    self._log.write(TRUNCATION_NOTICE)
                self._loggable = max(0, self._loggable - len(chunk))

    def _take(self, descriptor: int) -> bytes | None:
        """Return a chunk, b"" at the end, or None if nothing is available."""
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return None
        if not chunk:
            self._loop.forget(descriptor)
        return chunk


MAX_LINE_BYTES = 4096  # bytes, without the newline
MAX_BACKLOG_BYTES = 1 << 16  # bytes that wait behind the line that is taken


class LineBuffer:
    """The output of a program that was not taken yet: chunks of bytes become lines, without I/O.

    Three rules: a line ends with a newline, before which one carriage return is dropped; it has at
    most MAX_LINE_BYTES bytes; and what waits unasked has at most MAX_BACKLOG_BYTES. What breaks
    the last two is a flood. Lines that came early wait in order. A line that answers a question
    that was taken back is dropped when it comes.
    """

    __slots__ = ("_waiting", "owed")

    def __init__(self) -> None:
        self._waiting = b""
        self.owed = 0  # lines still to come that nobody waits for

    def feed(self, chunk: bytes) -> None:
        """Add a chunk of output."""
        self._waiting += chunk
        if self.owed:
            self._drop()

    def drop_next_line(self) -> None:
        """Drop the next line, which may be there or still to come."""
        self.owed += 1
        self._drop()

    def _drop(self) -> None:
        """Drop complete lines that are owed; a line that is too long stays, as a flood."""
        while self.owed:
            line, newline, rest = self._waiting.partition(b"\n")
            if not newline or len(line) > MAX_LINE_BYTES:
                return
            self._waiting = rest
            self.owed -= 1

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether the buffer holds so much that the next `take` raises."""
        return len(self._waiting) > MAX_LINE_BYTES + 1 + MAX_BACKLOG_BYTES

    @property
    def partial(self) -> bytes:
        """The beginning of the buffer, as a verdict shows it."""
        return self._waiting[:200]

    def take(self) -> bytes | None:
        """Return the next complete line without its end, or None if there is none yet.

        Raises FloodError where the line is too long, or too much stands behind it.
        """
        line, newline, rest = self._waiting.partition(b"\n")
        if len(line) > MAX_LINE_BYTES:
            raise FloodError(f"a line of more than {MAX_LINE_BYTES} bytes")
        if not newline:
            return None
        self._waiting = rest
        if len(rest) > MAX_BACKLOG_BYTES:
            raise FloodError(f"more than {MAX_BACKLOG_BYTES} bytes that nobody asked for")
        return line.removesuffix(b"\r")


class FloodError(Exception):  # it is the remote's error
    """More output than a player may send; the message says what."""
