"""The lock of the single writer of a database.

The lock ends with its process, however that ends. For SQLite it is a lock on a file next to the
database (not on the database: SQLite loses its locks when the process closes the file anywhere),
for PostgreSQL a session lock, tried a few times because a server takes a moment to notice that a
client was killed.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic, sleep

from sqlalchemy import Connection, text

from arena.rules import UserError
from arena.wires import lock_open_file, open_private

SUFFIX = "-lock"
NUMBER = 0x6172656E61  # of PostgreSQL's lock; each database has its own locks
RETRY_SECONDS = 1.0  # between two attempts


def lock_file(path: Path, shown: str) -> int:
    """Lock an SQLite database; return the descriptor that holds the lock until it is closed."""
    beside = path.resolve()
    beside = beside.with_name(beside.name + SUFFIX)
    try:
        descriptor = open_private(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    except OSError as problem:
        raise UserError(f"{shown}: {beside.name} cannot be created: {problem.strerror}") from None
    try:
        lock_open_file(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        raise build_busy_error(shown) from None
    return descriptor


def lock_session(connection: Connection, shown: str) -> None:
    """Lock a PostgreSQL database for as long as this connection lasts."""
    ask = text("SELECT pg_try_advisory_lock(:number)").bindparams(number=NUMBER)
    until = monotonic() + RETRY_SECONDS
    while True:
        with connection.begin():
            if connection.scalar(ask):
                return
        if monotonic() > until:
            raise build_busy_error(shown)
        sleep(RETRY_SECONDS / 20)


def build_busy_error(shown: str) -> UserError:
    """Return the error for a database that another process writes to."""
    return UserError(f"{shown}: another run is using it; stop that run first (Ctrl-C)")
