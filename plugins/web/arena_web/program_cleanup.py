"""Cleaning up programs of tables when the server ends, or when it starts again.

They carry a mark in their environment, as those of a tournament do, and so does all that they
start. It is that of the port, which one server has at a time: where one was killed, the next that
listens there ends what it has left.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from arena.extend import MARK_VARIABLE, defer_signals, kill_programs


@contextmanager
def clean_up_programs(port: int) -> Iterator[None]:
    """Clean up after an earlier server of this port, and after this one at its end."""
    mark = f"web-{os.getuid()}-{port}"
    kill_programs(mark)
    os.environ[MARK_VARIABLE] = mark
    try:
        yield
    finally:
        with defer_signals():
            kill_programs(mark)
        del os.environ[MARK_VARIABLE]
