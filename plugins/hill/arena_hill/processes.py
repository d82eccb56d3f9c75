"""The processes of a hill, each with its loop: coordinator, judge and web server.

The coordinator plays, the judge checks what was submitted, the web server shows all of it. The
others go on when one of them dies, since all that matters is on the disk. Each ends when the
process that has started it is gone, however that ended: then its standard input ends.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import structlog

from arena.players import handle_signals
from arena.tournament import Monitor, Tournament
from arena.wires import to_printable
from arena_hill.db.store import HillStore
from arena_hill.heartbeat import Heartbeat
from arena_hill.hill import Hill
from arena_hill.site_settings import SiteSettings

if TYPE_CHECKING:
    from arena.tournament.match_record import MatchRecord

SHUTDOWN_SECONDS = 5.0  # for matches under way when the supervisor is gone
log = structlog.get_logger()


def run_coordinator(file: Path, *, trust_everybody: bool) -> None:
    """Play the tournament, with entrants joining and leaving, until a signal arrives."""
    tournament = Tournament.load(file)
    hill = Hill.of(tournament.spec)
    with _run_as_child():
        tournament.run(
            LoggingMonitor(Heartbeat.of(hill, "coordinator")),
            commands=HillStore.of(hill).commands,
            trust_everybody=trust_everybody,
        )


class LoggingMonitor(Monitor):
    """Logs events of a hill, and updates the coordinator's heartbeat."""

    def __init__(self, heart: Heartbeat) -> None:
        self._heart = heart

    def on_tick(self) -> None:
        """Update the heartbeat."""
        self._heart.beat()

    def on_match(self, record: MatchRecord) -> None:
        """Log a void match, which should not happen."""
        if record.is_void:
            log.warning("void match", match=record.match, detail=to_printable(record.detail))

    def on_leave_out(self, text: str) -> None:
        """Log that an entrant no longer plays."""
        log.info(to_printable(text))

    def on_message(self, text: str) -> None:
        """Log a message for the host."""
        log.info(to_printable(text))


def run_judge(file: Path, *, trust_everybody: bool) -> None:
    """Judge submissions until a signal arrives."""
    from arena_hill.judge import JudgeDaemon

    hill = Hill.load(file)
    heart, ending = Heartbeat.of(hill, "judge"), Event()
    with _run_as_child(), handle_signals(lambda *_: ending.set()):
        judge = JudgeDaemon.of(hill, HillStore.of(hill), trust_everybody=trust_everybody)
        judge.run(ending, heart.beat)


def run_web(file: Path, site: SiteSettings) -> None:
    """Serve the pages and the API of the hill until a signal arrives."""
    from arena_hill.hill_access import HillAccess
    from arena_hill.web.application import build_hill_application
    from arena_web.play.store.table_store import TableStore
    from arena_web.play.tables import PlayTables
    from arena_web.server import HOST_NAME, serve

    with _run_as_child():
        hill = Hill.load(file)
        tables = PlayTables(store=TableStore.open(hill.tables_file, site.days))
        access = HillAccess.of(hill)
        access.intake.delete_unqueued_uploads()
        app = build_hill_application(access, site.hosts, tables)
        heart = Heartbeat.of(hill, "web")

        def note_start() -> None:
            """Note that the server has begun, and at which address, for invitations."""
            heart.beat()
            with suppress(OSError):  # a full disk: then invitations name the usual port
                hill.site_file.write_text(f"http://{HOST_NAME}:{site.port}")

        serve(
            app,
            site.port,
            proxies=site.proxies,
            find_path=lambda: f"hill/{file.stem}/",
            on_start=note_start,
            join=tables.join,
        )


@contextmanager
def _run_as_child() -> Iterator[None]:
    """Log to standard error, and end this process by SIGTERM when its parent has ended."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    with _exit_with_parent():
        yield


@contextmanager
def _exit_with_parent() -> Iterator[None]:
    """End this process by SIGTERM when its parent has ended."""
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
