"""A PostgreSQL server for the tests: private, in a folder of its own, on a socket in there.

It runs as the user who tests, or as `postgres` or `nobody` when that is root, and ends with
the tests, however these end.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import psycopg
import pytest
from attrs import frozen

from tests.programs import TIMEOUT

USERS = ("postgres", "nobody")
DEBIAN = Path("/usr/lib/postgresql")
NONE = (
    "PostgreSQL's initdb and postgres are not on this machine, and the store is tested with both"
    " databases: apt install postgresql"
)


def binaries(debian: Path = DEBIAN) -> Path:
    """Return the folder with PostgreSQL's programs, which Debian keeps off the PATH."""
    onto = shutil.which("initdb")
    found = [Path(onto).parent] if onto else sorted(debian.glob("*/bin"), key=_age)
    if not found:
        pytest.fail(NONE)
    return found[-1]


def _age(path: Path) -> int:
    return int(path.parent.name) if path.parent.name.isdigit() else 0


def user() -> pwd.struct_passwd | None:
    """Return whom the server runs as, if that is somebody else: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    pytest.fail(f"PostgreSQL does not run as root, and there is no user {' or '.join(USERS)}")


@frozen
class Server:
    """A server that is running."""

    folder: Path

    def empty(self) -> str:
        """Return the address of a database, the same each time, with nothing and nobody in it."""
        self.cut_off()
        with psycopg.connect(self.url("arena"), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url("arena")

    def make(self, name: str, options: str = "") -> str:
        """Make a database; return its address."""
        self._order(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def cut_off(self) -> None:
        """End all connections, as a restart would."""
        self._order(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname <> 'postgres'"
        )

    def url(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://arena@/{name}?host={self.folder}"

    def _order(self, command: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(command.encode())

    def up(self) -> bool:
        """Say whether it answers."""
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.url("postgres")).close()
            return True
        return False


@contextmanager
def serving() -> Iterator[Server]:
    """Return a server, which is gone afterwards."""
    programs, other = binaries(), user()
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))  # a socket's path is short
    if other:
        os.chown(folder, other.pw_uid, other.pw_gid)
    try:
        yield from _served(programs, Server(folder), other)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _served(programs: Path, server: Server, other: pwd.struct_passwd | None) -> Iterator[Server]:
    data, log = server.folder / "data", server.folder / "log"
    become = ["setpriv", "--pdeathsig=QUIT"]  # so that it ends, even if we vanish
    if other:
        become += [f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    make = f"{programs}/initdb -D {data} -U arena -A trust -E UTF8 --locale=C -N".split()
    run = f"{programs}/postgres -D {data} -k {server.folder} -h '' -F"
    with log.open("wb") as output:
        made = subprocess.run([*become, *make], cwd="/", stdout=output, stderr=output, check=False)
        assert made.returncode == 0, log.read_text()
        process = subprocess.Popen(
            [*become, *shlex.split(run)], cwd="/", stdout=output, stderr=output
        )
    try:
        _wait(server, process, log)
        server.make("arena")
        yield server
    finally:
        process.send_signal(signal.SIGQUIT)  # nothing of it is needed any more
        process.wait(TIMEOUT)


def _wait(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    until = monotonic() + TIMEOUT
    while not server.up():
        assert process.poll() is None, log.read_text()
        assert monotonic() < until, log.read_text()
        sleep(0.02)
