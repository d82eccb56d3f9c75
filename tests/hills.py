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

from arena.tournament import Entry, HillConfig, Store
from arena_web.app import application
from arena_web.hill.api import UPLOADS, Api
from arena_web.hill.office import Office
from arena_web.hill.people import Scope
from arena_web.hill.quotas import Denied
from arena_web.hill.register import Register
from arena_web.serving import running

ROOT = Path(__file__).parents[1]  # where programs of tests find these
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


def office(folder: Path, *, name: str = "gops", **terms: object) -> Office:
    """Return the office of a new hill."""
    return Office.open(written(folder, name=name, **terms))


def key_of(office: Office, author: str = "ada", scope: Scope = Scope.SUBMIT) -> str:
    """Return a new key of an author, who may be new."""
    session = office.register.sign_in(author)
    assert session
    known = office.register.who(session)
    assert known
    return office.register.make_key(known.id, scope, "a test's")


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


def serving(*offices: Office, limits: Mapping[str, int] | None = None) -> Starlette:
    """Return the application that serves these hills' interface."""
    api = Api({one.name: one for one in offices}, limits=limits or {})
    return application(api.routes, limits=limits or {}, closing=[api.close], uploads=UPLOADS)


@contextmanager
def visiting(*offices: Office) -> Iterator[TestClient]:
    """Visit hills, all in one loop."""
    with TestClient(serving(*offices), base_url="http://localhost") as client:
        yield client


@contextmanager
def listening(*offices: Office, limits: Mapping[str, int] | None = None) -> Iterator[str]:
    """Serve hills for real, and give the address, which ends with a slash."""
    with running(serving(*offices, limits=limits)) as address:
        yield address


@define
class Clock:
    """A clock that a test moves."""

    now: float

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def greedy(register: Register, prefix: str) -> list[str]:
    """Submit three bots of the first author, who may have three; return what came of each."""
    said = []
    for number in range(3):
        try:
            register.submit(1, f"{prefix}{number}", "1", 1, HillConfig(bots=3))
            said.append("taken")
        except Denied as denied:
            said.append(str(denied.status))
    return said


def entered(office: Office, *entries: Entry) -> None:
    """Have these entered the tournament, as its coordinator does by the orders so far."""
    spec = office.spec
    if not Store.exists(spec.database):
        Store.create(spec.database, {"tournament": spec.facts, "secret": "s"}).close()
    with Store.open(spec.database) as store:
        store.claim()
        for one in entries:
            store.enter(one)
        last = office.register.orders(0)
        store.set_fact("orders", last[-1].number if last else 0)
