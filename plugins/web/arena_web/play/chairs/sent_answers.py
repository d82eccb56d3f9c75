"""Answers that people send: what may be sent, and its way to the thread of the match."""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from typing import Any

from attrs import frozen

MAX_LINE_LENGTH = 500  # characters that are typed
MAX_WAITING_ANSWERS = 16  # answers that were sent and not looked at; a person sends one
SCALARS = (str, int, float, bool, type(None))


@frozen
class SentAnswer:
    """An answer from a person, as a value, as a typed line, or as one that stands."""

    number: int  #: of the question
    answer: Any = None  #: what JSON brought
    line: str | None = None  #: what was typed, in place of an answer
    standing: str = ""  #: the label of the answer that is to stand, in place of an answer


def is_answer(answer: object, depth: int = 2) -> bool:
    """Whether an answer is a scalar value, a list of them, or a list of such lists."""
    if isinstance(answer, list):
        return depth > 0 and all(is_answer(part, depth - 1) for part in answer)
    return isinstance(answer, SCALARS)


class AnswerInbox:
    """The answers of a person in a running match: any thread puts them in, that of the match reads.

    The match waits for a descriptor, which becomes readable with an answer, or by `wake`. Close it
    after the match.
    """

    def __init__(self) -> None:
        self._answers = deque[SentAnswer](maxlen=MAX_WAITING_ANSWERS)
        self._reading, self._writing = socket.socketpair()
        self._reading.setblocking(False)
        self._writing.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor for which the match waits; -1 once it is closed."""
        return self._reading.fileno()

    def put(self, answer: SentAnswer) -> None:
        """Put an answer in, from any thread, and wake the match."""
        self._answers.append(answer)
        self.wake()

    def wake(self) -> None:
        """Wake the match, from any thread: something else than an answer is to be looked at."""
        with suppress(OSError):  # it was woken already, or the match is over
            self._writing.send(b"!")

    def clear_signal(self) -> None:
        """Make the descriptor wait for the next answer."""
        with suppress(BlockingIOError):
            self._reading.recv(4096)

    def take(self) -> SentAnswer | None:
        """Take out the next answer; None where there is none."""
        return self._answers.popleft() if self._answers else None

    def close(self) -> None:
        """Close the descriptors; what is sent from now on is lost."""
        self._reading.close()
        self._writing.close()
