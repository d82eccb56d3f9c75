"""The tables of the database, the same in SQLite and in PostgreSQL.

A match is settled once it has a row in `matches`, whose primary key prevents duplicates. A planned
match that will not be played, because an entrant was set aside or withdrawn, is settled, too: its
end is `cancelled`, it has no seats, and a late result is refused since the key exists.

Standings and totals are computed and never stored. JSON is stored in text columns, in ASCII,
because both PostgreSQL's JSON type and UTF-8 refuse some output of strangers' programs.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    column,
    event,
    text,
)

from arena.tournament.store.old_database import NAMES, Schema

CANCELLED = "cancelled"
"""The end of a match that will not be played."""

metadata = MetaData(naming_convention=NAMES)

facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)

entrants = Table(
    "entrants",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # from 1, in order of entry
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("bot", Text, nullable=False),
    Column("keeps", Boolean, nullable=False),
    Column("containment", Text, nullable=False),  # JSON
    Column("state", Text, nullable=False),
    Column("why", Text, nullable=False),
    UniqueConstraint("name", "version"),
)

deals = Table(
    "deals",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seats", Text, nullable=False),  # JSON: the entrants' ids in rotation 0
    Column("rotations", Integer, nullable=False),
    Column("stage", Text, nullable=False),  # for people
    Column("state", Text, nullable=False),  # JSON: what the format finds with the results
    Column("begun", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("rotations > 0", name="rotations"),
    Index("deals_stage", "stage", "number"),
)

matches = Table(
    "matches",
    metadata,
    Column("deal", Integer, ForeignKey("deals.number"), primary_key=True, autoincrement=False),
    Column("rotation", Integer, primary_key=True, autoincrement=False),
    Column("end", Text, nullable=False),  # as `arena.rules.outcome.End` has it, or cancelled
    Column("rounds", Integer, nullable=False),
    Column("detail", Text, nullable=False),  # the reason why it is void or cancelled
    Column("seconds", Double, nullable=False),
    Column("stored", Text, nullable=False),  # UTC, as 2026-01-31T23:59:59.999Z
    Column("cause", Text),  # of a void match, as `VoidCause` has it
    Index("matches_end", "end", "deal", "rotation"),
    Index("matches_stored", "stored"),
    sqlite_with_rowid=False,
)

seats = Table(
    "seats",
    metadata,
    Column("deal", Integer, primary_key=True, autoincrement=False),
    Column("rotation", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("entrant", Integer, ForeignKey("entrants.id"), nullable=False),
    Column("score", Double),  # none in a void match
    Column("place", Integer),
    Column("used", Double, nullable=False),  # seconds
    Column("sandbox", Text),  # the sandbox, or trusted; NULL for bots in the worker
    Column("kind", Text),  # of its verdict
    Column("verdict", Text),  # JSON
    Column("errors", Text),  # the stderr of a failed program
    Column("earlier", Integer),  # matches of its process before; NULL if that plays one
    ForeignKeyConstraint(["deal", "rotation"], ["matches.deal", "matches.rotation"]),
    Index("seats_entrant", "entrant", "deal", "rotation"),
    sqlite_with_rowid=False,
)

with_verdict = column("kind").is_not(None)
verdict_indexes = [
    Index(name, *(seats.c[key] for key in columns), sqlite_where=with_verdict)
    for name, columns in {
        "seats_kind": ("kind", "deal", "rotation"),
        "seats_entrant_kind": ("entrant", "kind", "deal", "rotation"),
    }.items()
]


@event.listens_for(metadata, "before_create")
def limit_indexes(_: MetaData, connection: Connection, **__: object) -> None:
    """Give a server the condition, too, where tables are made: its dialect is slow to import."""
    if connection.dialect.name == "postgresql":
        for index in verdict_indexes:
            index.dialect_kwargs["postgresql_where"] = with_verdict


transcripts = Table(
    "transcripts",
    metadata,
    Column("deal", Integer, primary_key=True, autoincrement=False),
    Column("rotation", Integer, primary_key=True, autoincrement=False),
    Column("blob", LargeBinary, nullable=False),  # JSON lines, compressed by zlib
    ForeignKeyConstraint(["deal", "rotation"], ["matches.deal", "matches.rotation"]),
)

replaced = Table(
    "replaced",
    metadata,
    Column("deal", Integer, ForeignKey("deals.number"), primary_key=True, autoincrement=False),
    Column("rotation", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, the oldest first
    Column("result", Text, nullable=False),  # JSON
    sqlite_with_rowid=False,
)
"""Results of matches that were played again; nothing is computed from them."""

SCHEMA = Schema(metadata, revisions=("0003",), markers=frozenset({facts.name}))
"""The complete schema, with all its revisions."""
