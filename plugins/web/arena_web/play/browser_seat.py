"""A person's seat at a table: its feed, and its way for answers into the match."""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from typing import Any

from attrs import define, field, frozen

from arena_web.http.sse import EventBroadcast
from arena_web.play.hints import OpenQuestion

MAX_WAITING_ANSWERS = 16  # answers that were sent and not looked at; a person sends one


@frozen
class SentAnswer:
    """An answer from a person, as a value or as a typed line."""

    number: int  #: of the question
    answer: Any = None  #: what JSON brought
    line: str | None = None  #: what was typed, in place of an answer


@define(eq=False)
class BrowserSeat:
    """A seat, which outlives connections and belongs to whoever knows its secret."""

    name: str  #: of the person
    secret: str
    feed: EventBroadcast
    asked: int = 0  #: the number of the open question; 0 where there is none
    question: OpenQuestion | None = None  #: that is open, with what this seat knows
    hints: dict[int, dict[str, Any]] = field(factory=dict)  #: that were shown, by question
    here: bool = False  #: has the page been opened?
    left: bool = False  #: has the person left the table?
    closed: bool = False  #: does the server end?
    _sent: deque[SentAnswer] = field(factory=lambda: deque(maxlen=MAX_WAITING_ANSWERS))
    _reading: socket.socket = field(init=False)
    _writing: socket.socket = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Create the pipe for answers, since a match polls descriptors."""
        self._reading, self._writing = socket.socketpair()
        self._reading.setblocking(False)
        self._writing.setblocking(False)

    @property
    def descriptor(self) -> int:
        """The file descriptor that becomes readable when an answer arrives."""
        return self._reading.fileno()

    def send(self, sent: SentAnswer) -> bool:
        """Submit an answer, from another thread; return whether its question is open."""
        if not self.asked or sent.number != self.asked:
            return False
        self._sent.append(sent)
        self._wake()
        return True

    def close_question(self) -> None:
        """Record that there is no open question."""
        self.asked, self.question = 0, None

    def leave(self) -> None:
        """Leave the table, from another thread."""
        self.left = True
        self._wake()

    def close(self) -> None:
        """Make the match void, from another thread, when the server stops."""
        self.closed = True
        self._wake()

    def read(self) -> None:
        """Clear the signal that an answer was sent."""
        with suppress(BlockingIOError):
            self._reading.recv(4096)

    def next(self) -> SentAnswer | None:
        """Return the next answer, or None."""
        return self._sent.popleft() if self._sent else None

    def release(self) -> None:
        """Close the pipe for answers after the match."""
        self.close_question()
        self._reading.close()
        self._writing.close()

    def _wake(self) -> None:
        with suppress(OSError):  # it was woken already, or the match is over
            self._writing.send(b"!")
