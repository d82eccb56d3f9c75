"""Tournaments that are served to tests: each is run for real, once in a run of the tests."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from arena_web.app import GuardedApplication, build_application
from arena_web.explorers import ExplorerPages
from arena_web.routes import SourcePages
from arena_web.server import run_in_thread
from arena_web.sources import open_sources
from tests.support.tournaments.folders import run_tournament, write_tournament
from tests.support.tournaments.inline_workers import play_inline

GOPS = """
game = "gops"
seed = "1"
matches = 24
workers = 1
check = false
options = {cards = 5}
"""
FOUR = ("match", "easy", "medium", "random")


def play_tournament(folder: Path, *bots: str, text: str = GOPS, **more: str) -> Path:
    """Hold a tournament to its end, or copy the same one; return its file.

    One worker that has no program to run is this process.
    """
    key = sha256(json.dumps([text, bots, more]).encode()).hexdigest()
    played = Path(os.environ["XDG_CACHE_HOME"], "tournaments", key)
    if not played.exists():
        played.parent.mkdir(parents=True, exist_ok=True)
        begun = Path(mkdtemp(dir=played.parent))
        programs = any(" " in bot for bot in (*bots, *more.values()))
        with nullcontext() if programs else play_inline():
            run_tournament(write_tournament(begun, text, *bots, **more))
        with suppress(OSError):  # another process of this run was quicker
            begun.rename(played)
    shutil.copytree(played, folder, dirs_exist_ok=True)
    return folder / "tournament.toml"


def edit_database(file: Path, *statements: str, **values: object) -> None:
    """Change a tournament's database behind its back."""
    with closing(sqlite3.connect(file.with_suffix(".db"))) as database, database:
        for statement in statements:
            database.execute(statement, values)


def build_server_app(
    *sources: Path | str, limits: Mapping[str, int] | None = None, hosts: tuple[str, ...] = ()
) -> GuardedApplication:
    """Return the application that serves these; without limits where none are given."""
    pages = SourcePages(open_sources(map(str, sources)))
    routes = [*pages.routes, *ExplorerPages().routes]
    return build_application(routes, hosts=hosts, limits=limits or {}, on_shutdown=[pages.close])


@contextmanager
def open_test_client(app: ASGIApp) -> Iterator[TestClient]:
    """Visit an application, all in one loop."""
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@contextmanager
def serve_sources(*sources: Path | str) -> Iterator[str]:
    """Serve these for real, and give the address."""
    with run_in_thread(build_server_app(*sources)) as address:
        yield address
