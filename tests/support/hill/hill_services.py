"""Hills for tests: a file, an office, authors with keys, and the application that serves them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from attrs import define
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.tournament.config.hill import HillConfig
from arena.tournament.models.records import Entry
from arena.tournament.store import Store
from arena_hill.db.authors import TokenScope
from arena_hill.db.hill_database import HillDatabase
from arena_hill.db.quotas import SubmissionDeniedError
from arena_hill.service import HillService
from arena_hill.web.api import UPLOAD_LIMITS, Api
from arena_hill.web.templates import FILES
from arena_web.app import build_application
from arena_web.server import run_in_thread

HILL = """
game = "gops"
options = {{cards = 5}}
[hill]
{terms}
"""


def written(folder: Path, *, name: str = "gops", **terms: object) -> Path:
    """Write a hill's file; its terms are given as TOML has them."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    lines = [f"{key} = {value}" for key, value in terms.items()]
    file.write_text(HILL.format(terms="\n".join(lines)))
    return file


def service(folder: Path, *, name: str = "gops", **terms: object) -> HillService:
    """Return the office of a new hill."""
    return HillService.open(written(folder, name=name, **terms))


def key_of(service: HillService, author: str = "ada", scope: TokenScope = TokenScope.SUBMIT) -> str:
    """Return a new key of an author, who may be new."""
    session = service.database.sign_in(author)
    assert session
    known = service.database.identify(session)
    assert known
    return service.database.create_token(known.id, scope, "a test's")


def as_author(key: str) -> dict[str, str]:
    """Return the headers of who has a key."""
    return {"Authorization": f"Bearer {key}"}


def archive(**files: str) -> bytes:
    """Return a zip file, the same for the same files."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as made:
        for name, text in (files or {"bot": "1"}).items():
            made.writestr(ZipInfo(name), text)
    return packed.getvalue()


def serving(*services: HillService, limits: Mapping[str, int] | None = None) -> Starlette:
    """Return the application that serves these hills' interface."""
    api = Api({service.name: service for service in services}, limits=limits or {})
    return build_application(
        api.routes, limits=limits or {}, closing=[api.close], uploads=UPLOAD_LIMITS, files=FILES
    )


@contextmanager
def visiting(*services: HillService) -> Iterator[TestClient]:
    """Visit hills, all in one loop."""
    with TestClient(serving(*services), base_url="http://localhost") as client:
        yield client


@contextmanager
def listening(*services: HillService, limits: Mapping[str, int] | None = None) -> Iterator[str]:
    """Serve hills for real, and give the address, which ends with a slash."""
    with run_in_thread(serving(*services, limits=limits)) as address:
        yield address


@define
class Clock:
    """A clock that a test moves."""

    now: float

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def greedy(database: HillDatabase, prefix: str) -> list[str]:
    """Submit three bots of the first author, who may have three; return what came of each."""
    said = []
    for number in range(3):
        try:
            database.submit(1, f"{prefix}{number}", "1", 1, HillConfig(bots=3))
            said.append("taken")
        except SubmissionDeniedError as denied:
            said.append(str(denied.status))
    return said


def entered(service: HillService, *entries: Entry) -> None:
    """Have these entered the tournament, as its coordinator does by the orders so far."""
    spec = service.spec
    if not Store.exists(spec.database):
        Store.create(spec.database, {"tournament": spec.facts, "secret": "s"}).close()
    with Store.open(spec.database) as store:
        store.claim()
        for entry in entries:
            store.enter(entry)
        last = service.database.fetch(0)
        store.set_fact("orders", last[-1].number if last else 0)
