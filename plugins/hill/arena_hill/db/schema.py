"""The tables of a hill: authors, tokens, bots, submissions, commands, host actions.

What becomes of a bot once it is in stands in the tournament's database, and never here.
Times are seconds since 1970. Keys are kept as their SHA-256: who reads this file cannot use them.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    false,
)

from arena.tournament.store.old_database import NAMES, Schema

metadata = MetaData(naming_convention=NAMES)

authors = Table(
    "authors",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),  # its name, whatever its case
    Column("joined", Double, nullable=False),
    Column("source", Text, nullable=False),  # who answers: `invited`, or `oauth:` and an account
    Column("banned", Boolean, nullable=False, server_default=false()),
    Column("public", Boolean, nullable=False, server_default=false()),  # do standings name it?
)

invitations = Table(
    "invitations",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("name", Text, nullable=False),  # of the author it is for
    Column("made", Double, nullable=False),
    Column("used", Double),
)

keys = Table(
    "keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("author", Integer, ForeignKey("authors.id"), nullable=False),
    Column("scope", Text, nullable=False),  # as `TokenScope` has it
    Column("label", Text, nullable=False),  # by which its author knows it
    Column("made", Double, nullable=False),
    Column("used", Double),
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),
    Column("author", Integer, ForeignKey("authors.id"), nullable=False),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    # may all see the source of the version that takes part?
    Column("public", Boolean, nullable=False, server_default=false()),
    Index("bots_author", "author"),
)

submissions = Table(
    "submissions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot", Integer, ForeignKey("bots.id"), nullable=False),
    Column("sha256", Text, nullable=False),
    Column("size", Integer, nullable=False),  # bytes
    Column("state", Text, nullable=False),  # as `Step` has it
    Column("why", Text, nullable=False),
    Column("version", Text, nullable=False),  # once it is known
    Column("log", Text, nullable=False),  # of its build
    Column("report", Text),  # JSON, of its check
    Column("received", Double, nullable=False),
    Column("moved", Double, nullable=False),  # when its state became what it is
    Column("tries", Integer, nullable=False),  # that failed by the host's fault
    Column("forgotten", Boolean, nullable=False, server_default=false()),
    # may all see its source, also while another version takes part?
    Column("opened", Boolean, nullable=False, server_default=false()),
    Index("submissions_state", "state", "id"),
    Index("submissions_bot", "bot", "id"),
)

orders = Table(
    "orders",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("bot", Text, nullable=False),
    Column("entry", Text),  # JSON, of who is to be let in; none: it leaves
    Column("state", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("alias", Text, nullable=False),  # to be shown in place of its name; or nothing
)
"""Commands to the coordinator, which stores the number of the last one that it ran."""

actions = Table(
    "actions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("what", Text, nullable=False),
    Column("whom", Text, nullable=False),
    Column("why", Text, nullable=False),
)
"""The actions of the host, with their objects and reasons."""

REVISIONS = ("0001",)
SCHEMA = Schema(metadata, REVISIONS, markers=frozenset({authors.name, submissions.name}))
"""The schema, with all its revisions."""
