"""The three processes of a hill, each by itself: coordinator, porter, web."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

import structlog

from arena.players import handled
from arena.rules import UserError
from arena.tournament import Monitor, Store, Tournament
from arena.wires import printable
from arena_web.hill.places import alive_of, register_of, site_path, uploads_of

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from arena.tournament import MatchResult, TournamentSpec
    from arena_web.playing import Tables

MERCY = 5.0  # seconds for matches under way when the keeper is gone
WAITING = 60.0  # seconds for the coordinator to make the tournament's database
LOOK = 0.1  # seconds between two looks for it

log = structlog.get_logger()


class Heart:
    """A file whose time says when a process was last seen at work."""

    OFTEN = 2.0  # seconds between two beats

    def __init__(self, spec: TournamentSpec, part: str) -> None:
        self._path, self._next = alive_of(spec) / part, 0.0
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def beat(self) -> None:
        """Say that all is well; on a disk that cannot be written the process is silent."""
        if monotonic() >= self._next:
            with suppress(OSError):
                self._path.touch()
            self._next = monotonic() + self.OFTEN


class Journal(Monitor):
    """Logs what happens on a hill, and shows that its coordinator goes on."""

    def __init__(self, heart: Heart) -> None:
        self._heart = heart

    def tick(self) -> None:
        """Show that it goes on."""
        self._heart.beat()

    def done(self, done: MatchResult) -> None:
        """Log what should not happen: a match that is void."""
        if done.detail:
            log.warning("void", match=done.key, detail=printable(done.detail))

    def left_out(self, text: str) -> None:
        """Log that somebody takes part no more."""
        log.info(printable(text))

    def say(self, text: str) -> None:
        """Log what a host should read."""
        log.info(printable(text))


def coordinate(file: Path, *, trust_everybody: bool) -> None:
    """Play, and let in and out who comes and goes, until a signal comes."""
    tournament = Tournament.load(file)
    with kept():
        tournament.run(
            Journal(Heart(tournament.spec, "coordinator")),
            gate=register_of(tournament.spec),
            trust_everybody=trust_everybody,
        )


def carry(file: Path, *, trust_everybody: bool) -> None:
    """Try what was sent, until a signal comes."""
    from arena_web.hill.porter import Porter

    spec = Tournament.load(file).spec
    heart, ending = Heart(spec, "porter"), Event()
    with kept(), handled(lambda *_: ending.set()):
        porter = Porter(spec, register_of(spec), uploads_of(spec), trust_everybody=trust_everybody)
        porter.run(ending, heart.beat)


def show(file: Path, port: int, hosts: Sequence[str], proxies: Sequence[str]) -> None:
    """Show the hill in a browser, take what is sent, until a signal comes."""
    from arena_web.playing import Tables
    from arena_web.serving import NAME, serve

    with kept():
        spec = Tournament.load(file).spec
        _wait_for(spec.database)
        tables = Tables()
        app = _application(file, hosts, tables)
        heart = Heart(spec, "web")

        def way() -> str:
            """Return what is behind the root, now that the server listens."""
            heart.beat()
            with suppress(OSError):  # a full disk: then invitations name the usual port
                site_path(spec).write_text(f"http://{NAME}:{port}")
            return f"hill/{file.stem}/"

        serve(app, port, proxies=proxies, way=way, ended=tables.join)


def _application(file: Path, hosts: Sequence[str], tables: Tables) -> Starlette:
    """Return all that a hill shows: its tournament, its own pages, tables to play at."""
    from arena_web import studies
    from arena_web.app import application
    from arena_web.feeds import Followers
    from arena_web.guard import LIMITS
    from arena_web.hill import git, health
    from arena_web.hill import pages as own
    from arena_web.hill.api import UPLOADS, Api
    from arena_web.hill.office import Office
    from arena_web.pages import Pages
    from arena_web.seats import Seats
    from arena_web.served import Contest, opened

    followers, served = Followers(), opened([str(file)])
    contests = {name: one for name, one in served.items() if isinstance(one, Contest)}
    offices = {name: Office.open(file, one) for name, one in contests.items()}
    pages, api = Pages(served, followers), Api(offices, followers)
    seats = Seats(tables, followers)
    hill = [*own.routes(offices), *api.routes, *health.routes(offices.values())]
    pushed = git.routes(offices.values())
    return application(
        [*pages.routes, *hill, *pushed, *seats.routes, *studies.routes()],
        hosts=hosts,
        closing=[pages.close, api.close, tables.close],
        limits={**LIMITS, "upload": min(one.config.uploads_per_hour for one in offices.values())},
        uploads={**UPLOADS, **git.UPLOADS},
        renderers=git.RENDERERS,
    )


def _wait_for(database: str) -> None:
    """Wait until the coordinator has made the tournament's database."""
    until, nothing = monotonic() + WAITING, Event()
    while not Store.exists(database):
        if monotonic() > until:
            raise UserError(f"{Path(database).name} is not there: the coordinator has not begun")
        nothing.wait(LOOK)


@contextmanager
def kept() -> Iterator[None]:
    """End this process, by signals to itself, when the one that has started it is gone."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    done = Event()

    def watch() -> None:
        while os.read(0, 1):
            pass
        while not done.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
            done.wait(MERCY)

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
