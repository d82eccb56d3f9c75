"""Databases that are there, are not, or are something else; and how the schema grows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest
from attrs import evolve
from psycopg.waiting import Wait

from arena.rules import UserError
from arena.tournament.store import Store, StoredSettings
from arena.tournament.store.connection import WAIT_SECONDS, Connection, DatabaseAddress
from arena.tournament.store.database import ReplacedFileError
from tests.support.tournaments.postgresql import Server, find_programs
from tests.support.tournaments.stored_matches import (
    SECRET,
    SETTINGS,
    build_deals,
    build_result,
    create_tournament,
    list_open_keys,
)

pytestmark = pytest.mark.slow  # databases on a server
pytest_plugins = ["tests.support.tournaments.databases"]


@contextmanager
def open_connection(address: str | Path) -> Iterator[Connection]:
    """Return a connection for whatever a stranger would do there."""
    with DatabaseAddress.of(address).connect() as connection:
        if not connection.is_server:
            connection.execute("PRAGMA query_only = OFF")
        with connection.begin(write=True):
            yield connection


def check_refused(address: str | Path, words: str, *, write: bool = True) -> None:
    """Check that opening a database fails with one line that begins with its address."""
    with pytest.raises(UserError) as refusal:
        Store.open(address, write=write)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, write: bool) -> None:
    """A missing file is refused, and is not created."""
    path = tmp_path / "tournament.db"
    check_refused(path, f"{path}: no such file; the tournament's first run creates it", write=write)
    assert not Store.exists(path)
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(UserError, match="its folder does not exist"):
        Store.create(tmp_path / "nowhere" / "tournament.db", StoredSettings(), "")


@pytest.mark.parametrize("kind", ["file", "other file", "folder", "link", "-wal", "-shm", "-lock"])
def test_a_replaced_file_ends_a_run_and_costs_no_result(tmp_path: Path, kind: str) -> None:
    """A run whose file was replaced stops with one line of advice, and saves what it has written."""
    folder = tmp_path / "there"
    folder.mkdir()
    create_tournament(folder / "tournament.db", build_deals(2)).close()
    address = tmp_path / "link.db" if kind == "link" else folder / "tournament.db"
    shutil.copy(folder / "tournament.db", tmp_path / "copy.db")
    if kind == "link":
        address.symlink_to(folder / "tournament.db")
    with Store.open(address) as store:
        store.claim()
        store.check_files()
        store.matches.record(build_result(0))
        replace_file(kind, folder / "tournament.db", tmp_path / "copy.db", address)
        for write in (store.check_files, lambda: store.matches.record(build_result(1))):
            with pytest.raises(ReplacedFileError, match="deleted or replaced") as refusal:
                write()
            assert "\n" not in str(refusal.value)
    (saved,) = address.parent.glob("*.saved-*")
    assert f"saved in {saved.name};" in str(refusal.value)
    assert saved.stat().st_mode & 0o777 == 0o600
    with Store.open(saved, write=False) as store:
        assert store.progress.count_matches().stored == 1


def replace_file(kind: str, database: Path, copy: Path, link: Path) -> None:
    """Delete or replace a file of a database that somebody writes to."""
    if kind == "file":
        database.unlink()
    elif kind == "other file":
        copy.rename(database)
    elif kind == "folder":
        database.parent.rename(database.parent.with_name("away"))
        database.parent.mkdir()
    elif kind == "link":
        link.unlink()
        link.symlink_to(copy)
    else:
        database.with_name(database.name + kind).unlink()


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_a_database_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    """A database and the files beside it are private, as every hand could be learnt from them."""
    before = os.umask(umask)
    try:
        store = create_tournament(tmp_path / "tournament.db", build_deals(1))
    finally:
        os.umask(before)
    with store:
        store.matches.record(build_result(0))
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
    names = ("tournament.db", "tournament.db-lock", "tournament.db-shm", "tournament.db-wal")
    assert modes == dict.fromkeys(names, "0o600")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    """A file that is not a database is refused and left as it is."""
    path = tmp_path / "tournament.toml"
    path.write_text("game = 'x'\n" * 100)
    check_refused(path, f"{path}: file is not a database")
    check_refused(tmp_path, f"{tmp_path}: unable to open database file")
    for ask in (Store.exists, lambda path: Store.create(path, SETTINGS, SECRET)):
        with pytest.raises(UserError, match="file is not a database"):
            ask(path)
    assert path.read_text() == "game = 'x'\n" * 100
    assert [*tmp_path.iterdir()] == [path]


def test_an_empty_database_is_no_tournament_yet(address: str | Path) -> None:
    """A tournament can be created in an empty database."""
    with open_connection(address):
        pass
    check_refused(address, "the database contains no tournament")
    assert not Store.exists(address)
    create_tournament(address).close()
    assert Store.exists(address)


def test_something_else_is_left_alone(address: str | Path) -> None:
    """A database of something else is neither read nor written."""
    with open_connection(address) as connection:
        connection.run_script("CREATE TABLE invoices (number INTEGER)")
        connection.run_script("CREATE TABLE alembic_version (version_num VARCHAR(32))")
    check_refused(address, "the database belongs to another program")
    for ask in (Store.exists, lambda path: Store.create(path, SETTINGS, SECRET)):
        with pytest.raises(UserError, match="belongs to another program"):
            ask(address)
    with open_connection(address) as connection:
        assert connection.list_tables() == {"invoices", "alembic_version"}


def test_a_tournament_is_made_once(address: str | Path) -> None:
    """A second tournament cannot be created in a database."""
    create_tournament(address, build_deals(1)).close()
    with pytest.raises(UserError, match="the database already contains a tournament"):
        Store.create(address, StoredSettings(), "")
    with Store.open(address) as store:
        assert list_open_keys(store) == [(0, 0), (0, 1)]


def test_a_newer_arenas_database_is_refused(address: str | Path) -> None:
    """A database with an unknown revision is refused."""
    create_tournament(address).close()
    with open_connection(address) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    check_refused(address, "created by a newer version of arena (schema 9999); upgrade arena")


def test_a_database_from_before_the_first_release_is_refused(address: str | Path) -> None:
    """The error names its schema, and says what to do."""
    create_tournament(address).close()
    with open_connection(address) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0002'")
    check_refused(
        address,
        "created by a version of arena before the first release (schema 0002), which this one"
        " cannot read; move the database away and run this again",
    )


def test_an_older_arenas_database_is_brought_up_to_date(
    address: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older database is upgraded by whoever may write, under the claim."""
    create_tournament(address).close()
    later = {**Store.schema.steps, "next": "CREATE TABLE more (number INTEGER)"}
    monkeypatch.setattr(Store, "schema", evolve(Store.schema, steps=later))
    check_refused(
        address, "created by an older version of arena; its next run upgrades it", write=False
    )
    with Store.open(address) as store:
        assert store.claimed
        assert store.facts.secret == SECRET
        with store.begin_read() as connection:
            assert "more" in connection.list_tables()
    with Store.open(address) as store:
        assert not store.claimed


def test_a_server_that_does_not_answer_is_refused() -> None:
    """The error for a server that does not answer is one line without the password."""
    with pytest.raises(UserError) as refusal:
        Store.open("postgresql://me:secret@127.0.0.1:1/tournament?password=secret")
    words = str(refusal.value)
    assert words.startswith("postgresql://me:***@127.0.0.1:1/tournament: connection failed")
    assert "secret" not in words
    assert "\n" not in words


def test_a_database_that_the_server_lacks_is_refused(server: Server) -> None:
    """A database that does not exist on the server is not created."""
    check_refused(server.build_url("nowhere"), 'database "nowhere" does not exist')


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (
            "mysql://here/tournament",
            "mysql:// is not supported (a database is the path of a file, or",
        ),
        (
            "postgresql://me:secret@here:port/tournament",
            "postgresql://... is not an address (a database is",
        ),
    ],
)
def test_addresses_of_other_kinds_are_refused(address: str, words: str) -> None:
    """An address of another kind is refused with a list of the known kinds."""
    check_refused(address, words)


def test_a_database_of_another_encoding_is_refused(server: Server) -> None:
    """A database that cannot store every text is refused."""
    address = server.create_database("latin", "ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(UserError, match="the database uses the encoding LATIN1, not UTF8"):
        Store.create(address, StoredSettings(), "")


def test_who_waits_for_a_server_sleeps(server: Server) -> None:
    """A wait looks for interrupts now and then, and uses no processor time in between."""

    def wait_for_nothing() -> Iterator[Wait]:
        for _ in range(2):
            yield Wait.R

    with DatabaseAddress.of(server.create_empty_database()).connect() as connection:
        began = monotonic()
        connection.raw.wait(wait_for_nothing())
        assert monotonic() - began > WAIT_SECONDS


def test_a_connection_that_breaks_is_said_in_words(server: Server) -> None:
    """A server that restarts ends a run with one line, and stored results are kept."""
    address = server.create_empty_database()
    with create_tournament(address, build_deals(2)) as store:
        store.matches.record(build_result(0))
        server.close_connections()
        with pytest.raises(UserError, match=r"connection is lost|terminating") as refusal:
            store.matches.record(build_result(1))
        assert "\n" not in str(refusal.value)
    with Store.open(address) as store:
        store.claim()
        assert list_open_keys(store) == [(0, 1), (1, 0), (1, 1)]


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    """A full disk is reported in one line, and stored results are kept."""
    with create_tournament(tmp_path / "tournament.db", build_deals(2)) as store:
        store.matches.record(build_result(0))
        store.connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(UserError, match=r"tournament\.db: database or disk is full"):
            store.matches.record(build_result(1, transcript=bytes(100_000)))
        assert list_open_keys(store) == [(0, 1), (1, 0), (1, 1)]


def test_without_postgresql_tests_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason names the package, by which a run counts them."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="apt install postgresql"):
        find_programs(tmp_path)
