"""The hill's database as such: made, opened, read, written in short turns by several processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from attrs import frozen
from sqlalchemy import Connection, insert, inspect, select, update

from arena.rules import UserError
from arena.tournament import Address
from arena_web.hill import schema

NEWEST = schema.REVISIONS[-1]


@frozen
class Database:
    """Where it is. Each question opens a connection of its own, so that any thread may ask."""

    address: Address

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a hill's database, and make it where there is none; raise UserError."""
        opened = cls(Address.of(address))
        with opened._connected(write=True) as connection, connection.begin():
            tables = {*inspect(connection).get_table_names()}
            if not tables:
                schema.revision.create(connection)
                schema.metadata.create_all(connection)
                connection.execute(insert(schema.revision).values(version_num=NEWEST))
            elif not tables >= {schema.revision.name, *schema.metadata.tables}:
                raise UserError(f"{opened.address.shown}: something else lives in this database")
            else:
                opened._bring_up_to_date(connection)
        return opened

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Return a connection for one look at the database."""
        with self._connected(write=False) as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Return a connection for what is to happen as a whole, or not at all.

        Writers come one after the other: each first takes the row of the revision, on either
        kind of database, so that what it reads then nobody else changes.
        """
        with self._connected(write=True) as connection, connection.begin():
            connection.execute(update(schema.revision).values(version_num=NEWEST))
            yield connection

    @contextmanager
    def _connected(self, *, write: bool) -> Iterator[Connection]:
        with self.address.in_words(), self.address.connect() as connection:
            if write and self.address.path:
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA query_only = OFF")
                raw.execute("PRAGMA synchronous = FULL")
            yield connection

    def _bring_up_to_date(self, connection: Connection) -> None:
        found = connection.scalar(select(schema.revision.c.version_num))
        if found not in schema.REVISIONS:
            raise UserError(
                f"{self.address.shown}: a newer arena made this database (its schema is {found})"
            )
        if found != NEWEST:
            from arena.tournament import upgrade  # slow, and seldom needed

            upgrade(connection, Path(__file__).with_name("migrations"))
