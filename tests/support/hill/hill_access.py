"""Hills for tests: files, access to them, authors with API keys, and the application that serves them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from zipfile import ZipFile, ZipInfo

from attrs import define, evolve
from starlette.testclient import TestClient

from arena.check import BotFacts, CheckReport
from arena.tournament.entries import Entry
from arena.tournament.store import Facts, Store, StoredSettings
from arena_hill.db.accounts import Principal, TokenScope
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Findings, Submission
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web.api import UPLOAD_LIMITS, Api
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.page_context import FILES
from arena_hill.web.served_hill import ServedHill
from arena_web.app import GuardedApplication, build_application
from arena_web.server import run_in_thread

HILL = """
game = "gops"
options = {{cards = 5}}
[hill]
{terms}
"""


def write_hill_file(folder: Path, *, name: str = "gops", **terms: object) -> Path:
    """Write a hill's file; `terms` are the values of its table `hill`, in TOML."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    lines = [f"{key} = {value}" for key, value in terms.items()]
    file.write_text(HILL.format(terms="\n".join(lines)))
    return file


def open_hill_access(folder: Path, *, name: str = "gops", **terms: object) -> HillAccess:
    """Return the access to a new hill."""
    return HillAccess.open(write_hill_file(folder, name=name, **terms))


def create_key(
    access: HillAccess, author: str = "ada", scope: TokenScope = TokenScope.SUBMIT
) -> str:
    """Create an API key of an author, who is signed up if necessary."""
    return access.store.accounts.create_token(sign_in(access.store, author), scope, "a test's")


def sign_in(database: HillStore, author: str = "ada") -> Principal:
    """Return an author with a new session, who is signed up if necessary."""
    session = database.accounts.sign_in(author)
    assert session
    known = database.accounts.identify(session)
    assert known
    return known


def find_author(database: HillStore, number: int = 1) -> Principal:
    """Return an author by its number, as its first token has it known."""
    with database.transactions.begin_read() as snapshot:
        ((name, scope, secret),) = snapshot.connection.read_rows(
            "SELECT name, scope, hash FROM tokens JOIN authors ON authors.id = tokens.author"
            " WHERE authors.id = ? ORDER BY tokens.id LIMIT 1",
            (number,),
        )
    return Principal(number, name, TokenScope(scope), secret)


def build_author_headers(key: str) -> dict[str, str]:
    """Return the request headers of an author with this API key."""
    return {"Authorization": f"Bearer {key}"}


def build_zip(**files: str) -> bytes:
    """Return a zip archive; the same files give the same bytes."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in (files or {"bot": "1"}).items():
            archive.writestr(ZipInfo(name), text)
    return packed.getvalue()


def build_api_application(hill: HillAccess) -> GuardedApplication:
    """Return an application with the API of a hill alone."""
    api = Api(ServedHill.of(hill))
    return build_application(
        api.routes,
        limits={},
        handlers=ERROR_HANDLERS,
        on_shutdown=[api.close],
        uploads=UPLOAD_LIMITS,
        files=FILES,
    )


@contextmanager
def open_client(hill: HillAccess) -> Iterator[TestClient]:
    """Yield a client of a hill, whose application runs in this process."""
    with TestClient(build_api_application(hill), base_url="http://localhost") as client:
        yield client


@contextmanager
def serve_hill(hill: HillAccess) -> Iterator[str]:
    """Serve a hill over HTTP; yield the address, which ends with a slash."""
    with run_in_thread(build_api_application(hill)) as address:
        yield address


@define
class Clock:
    """A clock that a test moves."""

    now: float

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def set_clock(database: HillStore, clock: Clock) -> HillStore:
    """Return a database by a clock that a test moves."""
    return HillStore(evolve(database.transactions, clock=clock))


def enter_bots(access: HillAccess, *entries: Entry) -> None:
    """Enter these into the tournament, as its coordinator does for the submissions so far."""
    spec = access.hill.spec
    if not Store.exists(spec.database):
        Store.create(spec.database, StoredSettings.of(spec), "s").close()
    with Store.open(spec.database) as store:
        store.claim()
        for entry in entries:
            store.entries.enter(entry)
        last = access.store.commands.fetch(0)
        store.facts.set(Facts.last_command, last[-1].number if last else 0)


def let_in(hill: HillAccess, one: Submission) -> None:
    """Do what judge and coordinator do for a bot that is good."""
    entry = Entry(one.bot.name, "ab12", "copy")
    hill.store.queue.set_state(one.id, SubmissionState.CHECKING)
    hill.store.queue.set_state(
        one.id,
        SubmissionState.CHECKING,
        findings=Findings(report=CheckReport("gops", "mine", (), BotFacts("text", "1")).pack()),
    )
    hill.store.queue.accept(one.id, entry)
    enter_bots(hill, entry)


@contextmanager
def run_with_judge(
    application: GuardedApplication,
    hill: HillAccess,
    does: Callable[[HillAccess, Submission], None],
) -> Iterator[str]:
    """Serve a hill, and do this with each bot that is sent, as a judge would; yield the address."""
    ending = Event()

    def work() -> None:
        while not ending.wait(0.05):
            if submission := hill.store.queue.take():
                does(hill, submission)

    with run_in_thread(application) as address, ThreadPoolExecutor(1) as thread:
        done = thread.submit(work)
        try:
            yield address
        finally:
            ending.set()
            done.result()
