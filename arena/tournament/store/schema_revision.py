"""The kind of a database, and the revision of its tables, which alembic's table records."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from attrs import frozen
from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Select,
    String,
    Table,
    insert,
    inspect,
    select,
    update,
)

from arena.rules import UserError

revision = Table(
    "alembic_version",
    MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    Column("version_num", String(32), primary_key=True),
)
"""Alembic's own table, which holds the revision of the schema."""

NAMES = {
    "pk": "%(table_name)s_pk",
    "fk": "%(table_name)s_%(column_0_name)s_fk",
    "uq": "%(table_name)s_%(column_0_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s",
}
"""The naming convention of keys, for the steps between revisions."""


@frozen
class Schema:
    """The tables of a kind of database, and all their revisions."""

    tables: MetaData  #: the current tables
    revisions: tuple[str, ...]  #: in order; the last is the current one, none before is known
    markers: frozenset[str]  #: tables of every revision

    @property
    def newest(self) -> str:
        """The current revision of the tables."""
        return self.revisions[-1]

    def create_tables(self, connection: Connection) -> None:
        """Create all tables."""
        revision.create(connection)
        self.tables.create_all(connection)
        connection.execute(insert(revision).values(version_num=self.newest))

    def lock_revision(self, connection: Connection) -> None:
        """Lock the row of the revision; writers queue here."""
        connection.execute(update(revision).values(version_num=self.newest))

    def is_newest(self, connection: Connection) -> bool:
        """Return whether a database has the current schema, by a single query.

        The database's error for a missing table is raised; `find_revision` explains it.
        """
        return bool(connection.scalar(self._question) == self.newest)

    @cached_property
    def _question(self) -> Select[Any]:
        tables = [select(self.tables.tables[name]).exists() for name in sorted(self.markers)]
        return select(revision.c.version_num, *tables)

    def find_revision(self, connection: Connection, shown: str) -> str | None:
        """Return the revision of a database, None where it is empty.

        Raises:
            UserError: if it belongs to another program, to a newer version of arena, or to one
                before the first release; `shown` is its name.
        """
        there = {*inspect(connection).get_table_names()}
        if not there:
            return None
        if not there >= {revision.name, *self.markers}:
            raise UserError(f"{shown}: the database belongs to another program")
        found = connection.scalar(select(revision.c.version_num))
        if found not in self.revisions and str(found) < self.revisions[0]:
            raise UserError(
                f"{shown}: created by a version of arena before the first release (schema {found}),"
                " which this one cannot read; move the database away and run this again"
            )
        if found not in self.revisions:
            raise UserError(
                f"{shown}: created by a newer version of arena (schema {found}); upgrade arena"
            )
        return str(found)
