"""A host with an opponent, files, sockets and another process, which attacks must not touch."""

from __future__ import annotations

import os
import resource
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path

from attrs import define, evolve, field, frozen

from arena.host import Entrant, HostConfig, Result, Series, host, parse_entrant
from arena.host.folders import SPARE_FOLDERS
from arena.plugins import Game, MatchSpec, build_variant, get_plugins
from arena.rules import Fault
from arena.sandbox import Resources, Sandbox
from arena.sandbox.processes.process_tree import iter_descendants
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.sandbox.attacks.programs.attack import PATIENT, Attack
from tests.support.programs import ECHO, list_lasting

CARDS = 5
MORE_TIME = (1, 10, 100)  # times what an attack gives for a move
HELD = 9  # the descriptor of the bystander that holds a secret
DEVICES = [Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty")]
HARMLESS = signal.SIGURG  # ignored by whoever does not look at it

BYSTANDER = f"""
import os, signal, sys
os.dup2(os.open(sys.argv[1], os.O_RDONLY), {HELD})
for number in signal.valid_signals() - {{9, 19, signal.SIGCHLD}}:
    signal.signal(number, lambda number, frame: os.write(1, b"signal %d\\n" % number))
os.write(1, b"up\\n")
while True:
    signal.pause()
"""


@frozen
class State:
    """What may be done to a process from outside."""

    state: str
    priority: int
    cores: frozenset[int]
    files: tuple[int, int]

    @classmethod
    def of(cls, process: int) -> State:
        """Look at a process."""
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return cls(
            "stopped" if stat[0] in "tTZX" else "alive",
            os.getpriority(os.PRIO_PROCESS, process),
            frozenset(os.sched_getaffinity(process)),
            resource.prlimit(process, resource.RLIMIT_NOFILE),
        )


@define
class Scene:
    """All that there is about a match, and what it was like before."""

    folder: Path
    secret: str
    word: str  # on the command line of the attacker, and so of all that it forks
    bystander: subprocess.Popen[bytes]
    listeners: list[socket.socket]
    signals: list[int]
    watched: tuple[str, ...] = ()
    files: dict[str, tuple[object, ...]] = field(factory=dict)
    states: list[State] = field(factory=list)

    @property
    def known(self) -> dict[str, object]:
        """Return what the attacker knows."""
        host = self.folder / "host"
        return {
            "HOST": os.getpid(),
            "VICTIM": self.bystander.pid,
            "HELD": HELD,
            "HARMLESS": int(HARMLESS),
            "PORT": self.listeners[0].getsockname()[1],
            "ABSTRACT": self.listeners[1].getsockname(),
            "SOCKET": str(host / "socket"),
            "DATAGRAMS": str(host / "datagrams"),
            "DATABASE": str(host / "results.db"),
            "HOST_FOLDER": str(host),
            "OPPONENT": str(self.folder / "opponent" / "bot.py"),
            "OWN": str(self.folder / "attacker" / "bot.py"),
            "TEMPORARY": str(self.folder / "tmp"),
            "PYTHON": sys.executable,
        }

    def play(self, attack: Attack, tier: str) -> Result:
        """Host a match of the attacker and the opponent in a tier, or trusted.

        Where somebody was late who should not be, the machine was busy: all get more time then.
        """
        seated = self._write_bots(attack.source(self.known), attack.resources, tier)
        self.look("host", "opponent", "attacker")
        spec = self._specify(seated)
        innocent = 1 if attack.expected(tier) == Fault.TIMEOUT else 0  # from this seat on
        for more in MORE_TIME:
            limits = evolve(attack.limits, move=attack.limits.move * more)
            result = host(spec, seated, HostConfig(limits))
            verdicts = result.verdicts[innocent:]
            if not any(verdict and verdict.kind == Fault.TIMEOUT for verdict in verdicts):
                break
        return result

    def play_innocent(self, attack: Attack, tier: str) -> Result:
        """Host a match of a program that does no harm, in the place of the attacker's."""
        seated = self._write_bots(ECHO, attack.resources, tier)
        return host(self._specify(seated), seated, HostConfig(PATIENT))

    def _write_bots(self, text: str, resources: Resources, tier: str) -> tuple[Entrant, Entrant]:
        own, other = self.folder / "attacker" / "bot.py", self.folder / "opponent" / "bot.py"
        own.write_text(text)
        other.write_text(f"# {self.secret}\n{ECHO}")
        for path in (own, other):
            path.chmod(0o644)
        game = get_plugins().find_game("gops")
        return (
            self._entrant(game, own, tier, resources),
            self._entrant(game, other, tier, Resources()),
        )

    def _specify(self, seated: tuple[Entrant, Entrant]) -> MatchSpec:
        game = get_plugins().find_game("gops")
        series = Series(game, build_variant(game, {"cards": CARDS}), seated, "seed")
        ((spec, _),) = series.iter_matches(1)
        return spec

    def look(self, *folders: str) -> None:
        """See what is in these folders, and in what state the others are."""
        self.watched = folders
        self.files, self.states = self._files(), self._states()

    def _entrant(self, game: Game, path: Path, tier: str, resources: Resources) -> Entrant:
        sandbox = None if tier == "trusted" else Sandbox(tier, resources)
        return parse_entrant(game, f"{sys.executable} -I -S {path} {self.word}", sandbox)

    def assert_untouched(self, result: Result | None = None) -> None:
        """See that nobody but the attacker has noticed anything, and that nothing is left."""
        self.assert_unnoticed(result)
        self.assert_gone()

    def assert_unnoticed(self, result: Result | None = None) -> None:
        """See that nobody but the attacker has noticed anything."""
        if result:
            assert result.problem is None
            assert result.verdicts[1] is None
            assert self.secret not in repr(result)
            assert "GOT" not in result.errors[0], result.errors[0]
        assert self._files() == self.files
        assert self._states() == self.states
        assert self.heard() == []
        assert self.signals == []
        assert self.connections() == 0

    def assert_gone(self) -> None:
        """See that no process and no folder is left."""
        assert self.left() == {}
        SUPERVISOR_CLIENT.end_idle()
        supervisor = SUPERVISOR_CLIENT._process
        keepers = [process for process, _ in iter_descendants(supervisor.pid)] if supervisor else []
        assert list_lasting(keepers) == []
        SPARE_FOLDERS.close()
        assert [*(self.folder / "tmp").iterdir()] == []

    def left(self) -> dict[int, str]:
        """Return all processes that have the attacker's word on their command line."""
        found = {}
        for path in Path("/proc").iterdir():
            with suppress(OSError):
                words = (path / "cmdline").read_bytes().decode(errors="replace")
                if path.name.isdigit() and self.word in words:
                    found[int(path.name)] = words
        return found

    def heard(self) -> list[str]:
        """Return what signals have reached the bystander."""
        assert self.bystander.poll() is None
        assert self.bystander.stdout
        os.set_blocking(self.bystander.stdout.fileno(), False)
        return (self.bystander.stdout.read() or b"").decode().splitlines()

    def connections(self) -> int:
        """Count who has connected, or has sent a datagram."""
        return len(select.select(self.listeners, [], [], 0)[0])

    def _states(self) -> list[State]:
        return [State.of(process) for process in (os.getpid(), self.bystander.pid)]

    def _files(self) -> dict[str, tuple[object, ...]]:
        """Return the content and all that is known of each file but those of programs.

        Devices are looked at, too, which all programs share.
        """
        folders = [self.folder / name for name in self.watched]
        return {
            str(path): (
                path.read_bytes() if path.is_file() else b"",
                *(found.st_mode, found.st_uid, found.st_gid, found.st_nlink),
                (found.st_mtime_ns, os.listxattr(path, follow_symlinks=False)),
            )
            for path in [*DEVICES, *folders, *chain(*(folder.rglob("*") for folder in folders))]
            for found in [path.lstat()]
        }


@contextmanager
def scene() -> Iterator[Scene]:
    """Set a scene where every user may look round, so that only a sandbox is in the way."""
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="attacked-", dir="/tmp"))
        )
        folder.chmod(0o755)
        secret, word = secrets.token_hex(16), secrets.token_hex(8)
        for name in ("host", "opponent", "attacker", "tmp"):
            (folder / name).mkdir()
            (folder / name).chmod(0o777 if name == "tmp" else 0o755)
        database = folder / "host" / "results.db"
        database.write_text(secret)
        database.chmod(0o666)
        stack.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = str(folder / "tmp")
        listeners = [
            stack.enter_context(listener)
            for listener in _listeners(folder / "host" / "socket", word)
        ]
        signals: list[int] = []
        before = signal.signal(HARMLESS, lambda number, _: signals.append(number))
        stack.callback(signal.signal, HARMLESS, before)
        bystander = stack.enter_context(_bystander(database, secret))
        made = Scene(folder, secret, word, bystander, listeners, signals)
        try:
            yield made
        finally:
            for process in made.left():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _listeners(path: Path, word: str) -> list[socket.socket]:
    """Return a listener on the loopback, on an abstract and on two path-named Unix sockets."""
    loopback = socket.create_server(("127.0.0.1", 0))
    abstract, named = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    datagrams, sent_to = (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        path.with_name("datagrams"),
    )
    abstract.bind(f"\0{word}-abstract")
    named.bind(str(path))
    datagrams.bind(str(sent_to))
    for file in (path, sent_to):
        file.chmod(0o777)
    abstract.listen()
    named.listen()
    return [loopback, abstract, named, datagrams]


@contextmanager
def _bystander(database: Path, secret: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run another process of the host's user, with a secret in all that it has.

    Its group is its own, so that nobody hears what is sent to that of another scene.
    """
    words = [sys.executable, "-I", "-S", "-c", BYSTANDER, str(database), secret]
    environment = {**os.environ, "SECRET": secret}
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, process_group=0
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"up\n"
            yield process
        finally:
            process.kill()
