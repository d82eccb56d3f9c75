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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import psycopg
import pytest
from attrs import define, field

from arena.files import lock_open_file
from tests.support.programs import TIMEOUT
from tests.support.requirements import explain_missing

USERS = ("postgres", "nobody")
DEBIAN = Path("/usr/lib/postgresql")


def find_programs(debian: Path = DEBIAN) -> Path:
    """Return the folder with PostgreSQL's programs, which Debian keeps off the PATH."""
    onto = shutil.which("initdb")
    found = [Path(onto).parent] if onto else sorted(debian.glob("*/bin"), key=_age)
    if not found:
        pytest.skip(explain_missing("initdb"))
    return found[-1]


def _age(path: Path) -> int:
    return int(path.parent.name) if path.parent.name.isdigit() else 0


def find_server_user() -> pwd.struct_passwd | None:
    """Return the user as whom the server runs if this is root, since it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    pytest.fail(f"PostgreSQL does not run as root, and there is no user {' or '.join(USERS)}")


@define
class Server:
    """A server, which can be stopped for a while."""

    folder: Path
    programs: Path
    become: Sequence[str]
    environment: Mapping[str, str] = field(factory=os.environ.copy)  # without a tournament's mark
    _process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        """The folder of all databases."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """The file with what the server says."""
        return self.folder / "log"

    def initialize(self, cache: Path) -> None:
        """Make the folder of all databases, and start the server.

        The first one makes it, which takes a while, and leaves a copy in `cache` for all others.
        """
        template = cache / "postgresql"
        with cache.joinpath("postgresql.lock").open("w") as lock:
            lock_open_file(lock, wait=True)
            if template.exists():
                subprocess.run(["cp", "-a", template, self.data], check=True)
            else:
                self._make_data()
                subprocess.run(["cp", "-a", self.data, template], check=True)
        self.start()
        self.create_database("arena")

    def _make_data(self) -> None:
        words = f"{self.programs}/initdb -D {self.data} -U arena -A trust -E UTF8 --locale=C -N"
        with self.log.open("wb") as output:
            made = subprocess.run(
                [*self.become, *words.split()], cwd="/", stdout=output, stderr=output, check=False
            )
        assert made.returncode == 0, self.log.read_text()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        words = f"{self.programs}/postgres -D {self.data} -k {self.folder} -h '' -F"
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*self.become, *shlex.split(words)],
                cwd="/", env=self.environment, stdout=output, stderr=output,
            )  # fmt: skip
        until = monotonic() + TIMEOUT
        while not self.answers():
            assert self._process.poll() is None, self.log.read_text()
            assert monotonic() < until, self.log.read_text()
            sleep(0.02)

    def stop(self) -> None:
        """Stop the server at once, as if its machine had failed."""
        if self._process:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(TIMEOUT)

    @contextmanager
    def stop_for_block(self) -> Iterator[None]:
        """Stop the server for a block."""
        self.stop()
        yield
        self.start()

    def create_empty_database(self) -> str:
        """Empty the database `arena`; return its address."""
        with psycopg.connect(self.build_url("arena"), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = 'arena' AND pid <> pg_backend_pid()"
            )
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.build_url("arena")

    def create_database(self, name: str, options: str = "") -> str:
        """Create a database; return its address."""
        self._execute(f"CREATE DATABASE {name} {options}")
        return self.build_url(name)

    def make_read_only(self, name: str) -> None:
        """Make a database read-only for all connections from now on."""
        self._execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    def make_writable(self, name: str) -> None:
        """Have a database be written again."""
        self._execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")

    @contextmanager
    def pause_for_block(self) -> Iterator[None]:
        """Stop the server's processes with SIGSTOP for a block."""
        assert self._process
        processes = list_process_family(self._process.pid)
        _send(processes, signal.SIGSTOP)
        try:
            yield
        finally:
            _send(processes, signal.SIGCONT)

    def close_connections(self) -> None:
        """Close all connections, as a restart would."""
        self._execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname <> 'postgres'"
        )

    def build_url(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://arena@/{name}?host={self.folder}"

    def _execute(self, command: str) -> None:
        with psycopg.connect(self.build_url("postgres"), autocommit=True) as connection:
            connection.execute(command.encode())

    def answers(self) -> bool:
        """Return whether the server accepts connections."""
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.build_url("postgres")).close()
            return True
        return False


def list_process_family(process: int) -> list[int]:
    """Return a process and all its descendants."""
    list_children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [
        process,
        *(descendant for child in list_children for descendant in list_process_family(int(child))),
    ]


@contextmanager
def run_server(cache: Path) -> Iterator[Server]:
    """Run a server for a block; `cache` is a folder of all processes that do so."""
    programs, other = find_programs(), find_server_user()
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))  # a socket's path is short
    become = ["setpriv", "--pdeathsig=QUIT"]  # so that it ends, even if we vanish
    if other:
        os.chown(folder, other.pw_uid, other.pw_gid)
        become += [f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    server = Server(folder, programs, become)
    try:
        server.initialize(cache)
        yield server
    finally:
        server.stop()  # nothing of it is needed any more
        shutil.rmtree(folder, ignore_errors=True)


def _send(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to those of these processes that are still there: a worker may have ended."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
