"""A buffer that turns chunks of bytes into lines, without I/O.

Three rules: a line ends with a newline, before which one carriage return is dropped; it
has at most MAX_LINE_BYTES bytes; and what waits unasked has at most MAX_BACKLOG_BYTES. What
breaks the last two is a flood. Lines that came early wait in order. A line that answers a
question that was taken back is dropped when it comes.
"""

from __future__ import annotations

MAX_LINE_BYTES = 4096  # bytes, without the newline
MAX_BACKLOG_BYTES = 1 << 16  # bytes that wait behind the line that is taken


class FloodError(Exception):  # it is the remote's error
    """More output than a player may send; the message says what."""


class LineBuffer:
    """The output of a program that was not taken yet."""

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
