"""What programs at tables leave behind: gone when the server ends, or when it starts again.

They carry a mark in their environment, as those of a tournament do, and so does all that they
start. It is that of the port, which one server has at a time: where one was killed, the next that
listens there ends what it has left.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from arena.players import deferred
from arena.tournament import MARK, sweep


@contextmanager
def tidied(port: int) -> Iterator[None]:
    """End what an earlier server of this port has left, and at the end what this one has."""
    mark = f"web-{os.getuid()}-{port}"
    sweep(mark)
    os.environ[MARK] = mark
    try:
        yield
    finally:
        with deferred():
            sweep(mark)
        del os.environ[MARK]
