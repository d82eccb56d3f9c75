"""The processes of a hill: what has to hold before they start, their supervisor, and each.

A hill starts if nobody else runs it, its databases belong together, and its host wants what
changed settings take away. It ends when one of its databases is deleted or replaced while it runs:
only its host knows which one counts.

The coordinator plays, the judge checks what was submitted, the web server shows all of it. What
one of them does not survive is nothing to the others, since all that matters is on the disk: the
supervisor restarts it. Each ends when the one that has started it is gone, whatever became of it:
then its standard input ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING

import structlog
from attrs import define, field

from arena import UserError
from arena.files import lock_open_file, open_private
from arena.players import build_module_command, handle_signals
from arena.rules import describe_error
from arena.tournament import Monitor, Tournament
from arena.tournament.file import TournamentSpec, get_data_folder, make_data_folder
from arena.tournament.run import TournamentRun
from arena.tournament.store import Store
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import FileIdentities
from arena.wires import to_printable
from arena_hill.db.database import HillDatabase, open_database
from arena_hill.db.submissions import JudgingState
from arena_hill.hill_paths import (
    get_heartbeat_folder,
    get_hill_config,
    get_lock_file,
    get_site_file,
    get_tables_file,
    get_uploads_folder,
)

if TYPE_CHECKING:
    from arena.tournament.match_record import MatchRecord
    from arena_web.app import GuardedApplication
    from arena_web.play.tables import PlayTables

POLL_SECONDS = 0.2  # seconds between two looks at who is alive
MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 0.5, 30.0  # seconds until a part is started again
STABLE_SECONDS = 60.0  # seconds after which its end is a new misfortune
USAGE_STATUS = 2  # the exit status of what cannot begin
SHUTDOWN_SECONDS = 5.0  # seconds for matches under way when the keeper is gone

log = structlog.get_logger()


@contextmanager
def hold_hill(spec: TournamentSpec) -> Iterator[None]:
    """Hold a hill for a block, so that nobody else runs it; the lock ends with the process.

    Raises:
        UserError: if somebody holds it, before anything has changed.
    """
    make_data_folder(spec)
    try:
        lock = open(get_lock_file(spec), "ab", opener=open_private)  # noqa: SIM115  # closed below
    except OSError as problem:
        raise UserError(f"{get_data_folder(spec)}: {describe_error(problem)}") from None
    with lock:
        try:
            lock_open_file(lock)
        except BlockingIOError:
            raise UserError(
                f"{spec.stem}.toml: another `arena hill run` runs this hill; stop that one first"
            ) from None
        yield


def list_losses(spec: TournamentSpec, database: HillDatabase) -> list[str]:
    """Return what a start would take from authors since the last one, a line for each setting.

    The tournament's database is created for the first start.

    Raises:
        UserError: if the hill cannot start: somebody else plays its tournament, other settings have
            changed, or its two databases do not belong together.
    """
    if (written := database.get_last_command()) and not Store.exists(spec.database):
        raise UserError(
            f"{DatabaseAddress.of(spec.database).shown}: no such database, but"
            f" {database.address.shown} has {written} commands for it; restore it from a backup, or"
            " move that one away, too, to begin anew"
        )
    with TournamentRun.claim(spec) as run:
        store = run.store
        _check_same_hill(spec, store, database)
        return [*_list_losses(spec, store, database)]


def _check_same_hill(spec: TournamentSpec, store: Store, database: HillDatabase) -> None:
    """Raise UserError if the tournament has carried out commands that the database does not have.

    New commands would get numbers of old ones and never be carried out, and the uploads that the
    database does not list would be deleted.
    """
    done, written = store.get_last_command(), database.get_last_command()
    if done > written:
        raise UserError(
            f"{database.address.shown}: not the database of authors and submissions of"
            f" {spec.stem}.toml, or an older copy: it has {written} commands, and {done} were"
            " carried out; restore it, or restore both databases from one backup"
        )


def _list_losses(spec: TournamentSpec, store: Store, database: HillDatabase) -> Iterator[str]:
    config, before = get_hill_config(spec), store.facts.hill
    if before is None:
        return
    present = len(store.list_active())
    if config.size < min(before["size"], present):
        yield (
            f"size was {before['size']}, now {config.size}: {present - config.size} of {present}"
            " bots lose their places, and wait until there is room again"
        )
    if config.sources == "all" != before["sources"]:
        accepted = database.list_submissions(states=[JudgingState.ACCEPTED])
        hidden = {submission.bot for submission in accepted if not submission.public}
        if hidden:
            yield (
                'sources was "author", now "all": everybody can read the sources of'
                f" {len(hidden)} more bots"
            )


@define
class HillSupervisor:
    """Keeps processes running until a signal arrives, or files are replaced."""

    children: Sequence[ChildProcess]
    files: FileIdentities = field(
        factory=FileIdentities
    )  #: those that have to stay while the hill runs
    _signals: int = field(default=0, init=False)
    _asked: Event = field(factory=Event, init=False)

    @classmethod
    def of(
        cls, parts: Mapping[str, Sequence[str]], alive: Path, files: FileIdentities
    ) -> HillSupervisor:
        """Create a supervisor; `parts` are arguments for `arena`, by the names of the processes.

        `alive` is the folder of their heartbeats.
        """
        children = [
            ChildProcess(name, build_module_command("arena", *words), alive / name)
            for name, words in parts.items()
        ]
        return cls(children, files)

    def run(self) -> int:
        """Run all processes; return 0 after a signal, or the status of one that cannot start.

        Raises:
            ReplacedFileError: after all have ended, if one of the files was replaced.
        """
        with handle_signals(self._count_signal):
            for part in self.children:
                part.heartbeat.unlink(missing_ok=True)
                part.start()
            status = 0
            try:
                while not self._signals and not status:
                    self.files.check()
                    status = self._restart_children()
                    self._asked.wait(POLL_SECONDS)
            finally:
                self._end_children()
            return status

    def _restart_children(self) -> int:
        """Restart ended processes; return the status of one for which that is useless.

        The host has to fix a process that never started. One that did start may work again later,
        for example when a database server is back.
        """
        for part in self.children:
            status = part.poll()
            if status == USAGE_STATUS and not part.heartbeat.exists():
                return status
            if status is not None:
                part.schedule_restart(status)
                structlog.wrap_logger(structlog.PrintLogger(sys.stderr)).warning(
                    "process ended", part=part.name, status=status, again_in=part.restart_seconds
                )
            elif part.process is None and monotonic() >= part.due:
                part.start()
        return 0

    def _end_children(self) -> None:
        """Terminate all processes and wait; further signals are passed on to abandon matches."""
        told = 0
        while any(part.process for part in self.children):
            if told <= self._signals:
                told = self._signals + 1
                for part in self.children:
                    if part.process:
                        part.process.terminate()
            self._asked.clear()
            self._asked.wait(POLL_SECONDS)
            for part in self.children:
                part.poll()

    def _count_signal(self, _: int, __: FrameType | None) -> None:
        """Count a signal."""
        self._signals += 1
        self._asked.set()


@define
class ChildProcess:
    """One of the supervised processes."""

    name: str
    arguments: Sequence[str]
    heartbeat: Path  # the file that it makes when it has begun
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    restart_seconds: float = MIN_RESTART_SECONDS  # until it is started again
    due: float = 0.0  # when it is

    def start(self) -> None:
        """Start the process in its own session: only the supervisor interrupts it."""
        self.process = subprocess.Popen(
            self.arguments, stdin=subprocess.PIPE, start_new_session=True
        )
        self.began = monotonic()

    def poll(self) -> int | None:
        """Return the exit status once it has ended; None while it runs or waits for a start."""
        status = None if self.process is None else self.process.poll()
        if status is not None and self.process and self.process.stdin:
            self.process.stdin.close()
            self.process = None
        return status

    def schedule_restart(self, status: int) -> None:
        """Schedule a restart: soon after a kill, and with backoff after quick failures."""
        lived = monotonic() - self.began
        sound = status < 0 or lived > STABLE_SECONDS
        self.restart_seconds = (
            MIN_RESTART_SECONDS if sound else min(MAX_RESTART_SECONDS, 2 * self.restart_seconds)
        )
        self.due = monotonic() + self.restart_seconds


def run_coordinator(file: Path, *, trust_everybody: bool) -> None:
    """Play the tournament, with entrants joining and leaving, until a signal arrives."""
    tournament = Tournament.load(file)
    with exit_with_parent():
        tournament.run(
            LoggingMonitor(Heartbeat(tournament.spec, "coordinator")),
            commands=open_database(tournament.spec),
            trust_everybody=trust_everybody,
        )


class LoggingMonitor(Monitor):
    """Logs events of a hill, and updates the coordinator's heartbeat."""

    def __init__(self, heart: Heartbeat) -> None:
        self._heart = heart

    def on_tick(self) -> None:
        """Update the heartbeat."""
        self._heart.beat()

    def on_match(self, done: MatchRecord) -> None:
        """Log a void match, which should not happen."""
        if done.detail:
            log.warning("void match", match=done.match, detail=to_printable(done.detail))

    def on_leave_out(self, text: str) -> None:
        """Log that an entrant no longer plays."""
        log.info(to_printable(text))

    def on_message(self, text: str) -> None:
        """Log a message for the host."""
        log.info(to_printable(text))


def run_judge(file: Path, *, trust_everybody: bool) -> None:
    """Judge submissions until a signal arrives."""
    from arena_hill.judge import JudgeDaemon

    spec = Tournament.load(file).spec
    heart, ending = Heartbeat(spec, "judge"), Event()
    with exit_with_parent(), handle_signals(lambda *_: ending.set()):
        judge = JudgeDaemon(
            spec, open_database(spec), get_uploads_folder(spec), trust_everybody=trust_everybody
        )
        judge.run(ending, heart.beat)


def run_web(file: Path, port: int, hosts: Sequence[str], proxies: Sequence[str], days: int) -> None:
    """Serve the pages and the API of the hill until a signal arrives.

    Games of visitors are kept for so many `days`.
    """
    from arena_web.play.table_store import TableStore
    from arena_web.play.tables import PlayTables
    from arena_web.server import HOST_NAME, serve

    with exit_with_parent():
        spec = Tournament.load(file).spec
        tables = PlayTables(store=TableStore.open(get_tables_file(spec), days))
        app = _build_application(file, hosts, tables)
        heart = Heartbeat(spec, "web")

        def find_path() -> str:
            """Return the path of the hill's page, and store the site's address for invitations."""
            heart.beat()
            with suppress(OSError):  # a full disk: then invitations name the usual port
                get_site_file(spec).write_text(f"http://{HOST_NAME}:{port}")
            return f"hill/{file.stem}/"

        serve(app, port, proxies=proxies, way=find_path, ended=tables.join)


def _build_application(file: Path, hosts: Sequence[str], tables: PlayTables) -> GuardedApplication:
    """Build the application: the tournament's pages, the hill's pages, tables to play at."""
    from arena_hill.hill_access import HillAccess
    from arena_hill.web import agents, git_push, health
    from arena_hill.web import pages as own
    from arena_hill.web.api import UPLOAD_LIMITS, Api
    from arena_hill.web.requests import FILES
    from arena_web.app import build_application
    from arena_web.http.sse import FollowerLimit
    from arena_web.pages import analysis
    from arena_web.play.views import PlayViews
    from arena_web.routes import SourcePages
    from arena_web.sources import TournamentSource, open_sources

    followers, served = FollowerLimit(), open_sources([str(file)])
    tournaments = {
        name: source for name, source in served.items() if isinstance(source, TournamentSource)
    }
    hills = {name: HillAccess.open(file, source) for name, source in tournaments.items()}
    for access in hills.values():
        access.delete_unqueued_uploads()
    pages, api = SourcePages(served, followers), Api(hills)
    seats = PlayViews(tables, followers, [*tournaments.values()])
    hill = [*own.build_routes(hills), *api.routes, *health.build_routes(hills.values())]
    pushed = git_push.build_routes(hills.values())
    seated = agents.build_routes(hills, tables)
    return build_application(
        [*pages.routes, *hill, *pushed, *seats.routes, *seated, *analysis.build_routes()],
        hosts=hosts,
        closing=[pages.close, api.close, tables.close],
        uploads={**UPLOAD_LIMITS, **git_push.UPLOAD_LIMITS},
        renderers=git_push.RENDERERS,
        files=FILES,
        reserved_paths=health.PATHS,
    )


class Heartbeat:
    """A file whose modification time shows when a process was last alive."""

    INTERVAL_SECONDS = 2.0  # seconds between two beats

    def __init__(self, spec: TournamentSpec, part: str) -> None:
        self._path, self._next = get_heartbeat_folder(spec) / part, 0.0
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def beat(self) -> None:
        """Touch the file if it is due; a disk that cannot be written is ignored."""
        if monotonic() >= self._next:
            with suppress(OSError):
                self._path.touch()
            self._next = monotonic() + self.INTERVAL_SECONDS


@contextmanager
def exit_with_parent() -> Iterator[None]:
    """End this process by SIGTERM when its parent has ended."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    done = Event()

    def watch() -> None:
        while os.read(0, 1):
            pass
        while not done.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
            done.wait(SHUTDOWN_SECONDS)

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
