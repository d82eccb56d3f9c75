"""The first schema: facts, entrants, deals, matches, seats, transcripts, replaced results.

This module does not import `arena.tournament.store.schema`, which will change.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0003"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    _event()
    _deals()
    _matches()
    _seats()
    _transcripts()
    _replaced()


def _event() -> None:
    op.create_table(
        "facts",
        Column("name", Text(), nullable=False),
        Column("value", Text(), nullable=False),
        PrimaryKeyConstraint("name", name="facts_pk"),
    )
    op.create_table(
        "entrants",
        Column("id", Integer(), autoincrement=False, nullable=False),
        Column("name", Text(), nullable=False),
        Column("version", Text(), nullable=False),
        Column("bot", Text(), nullable=False),
        Column("keeps", Boolean(), nullable=False),
        Column("containment", Text(), nullable=False),
        Column("state", Text(), nullable=False),
        Column("why", Text(), nullable=False),
        PrimaryKeyConstraint("id", name="entrants_pk"),
        UniqueConstraint("name", "version", name="entrants_name_key"),
    )


def _deals() -> None:
    op.create_table(
        "deals",
        Column("number", Integer(), autoincrement=False, nullable=False),
        Column("seats", Text(), nullable=False),
        Column("rotations", Integer(), nullable=False),
        Column("stage", Text(), nullable=False),
        Column("state", Text(), nullable=False),
        Column("begun", Integer(), server_default=text("0"), nullable=False),
        CheckConstraint("rotations > 0", name=op.f("deals_rotations")),
        PrimaryKeyConstraint("number", name="deals_pk"),
    )
    op.create_index("deals_stage", "deals", ["stage", "number"])


def _matches() -> None:
    op.create_table(
        "matches",
        Column("deal", Integer(), autoincrement=False, nullable=False),
        Column("rotation", Integer(), autoincrement=False, nullable=False),
        Column("end", Text(), nullable=False),
        Column("rounds", Integer(), nullable=False),
        Column("detail", Text(), nullable=False),
        Column("seconds", Double(), nullable=False),
        Column("stored", Text(), nullable=False),
        Column("cause", Text()),
        ForeignKeyConstraint(["deal"], ["deals.number"], name="matches_deal_fk"),
        PrimaryKeyConstraint("deal", "rotation", name="matches_pk"),
        sqlite_with_rowid=False,
    )
    op.create_index("matches_end", "matches", ["end", "deal", "rotation"])
    op.create_index("matches_stored", "matches", ["stored"])


def _seats() -> None:
    op.create_table(
        "seats",
        Column("deal", Integer(), autoincrement=False, nullable=False),
        Column("rotation", Integer(), autoincrement=False, nullable=False),
        Column("seat", Integer(), autoincrement=False, nullable=False),
        Column("entrant", Integer(), nullable=False),
        Column("score", Double()),
        Column("place", Integer()),
        Column("used", Double(), nullable=False),
        Column("sandbox", Text(), nullable=True),
        Column("kind", Text()),
        Column("verdict", Text()),
        Column("errors", Text()),
        Column("earlier", Integer()),
        ForeignKeyConstraint(
            ["deal", "rotation"], ["matches.deal", "matches.rotation"], name="seats_deal_fk"
        ),
        ForeignKeyConstraint(["entrant"], ["entrants.id"], name="seats_entrant_fk"),
        PrimaryKeyConstraint("deal", "rotation", "seat", name="seats_pk"),
        sqlite_with_rowid=False,
    )
    op.create_index("seats_entrant", "seats", ["entrant", "deal", "rotation"])
    known = text("kind IS NOT NULL")
    for name, columns in {
        "seats_kind": ["kind", "deal", "rotation"],
        "seats_entrant_kind": ["entrant", "kind", "deal", "rotation"],
    }.items():
        op.create_index(name, "seats", columns, sqlite_where=known, postgresql_where=known)


def _transcripts() -> None:
    op.create_table(
        "transcripts",
        Column("deal", Integer(), autoincrement=False, nullable=False),
        Column("rotation", Integer(), autoincrement=False, nullable=False),
        Column("blob", LargeBinary(), nullable=False),
        ForeignKeyConstraint(
            ["deal", "rotation"], ["matches.deal", "matches.rotation"], name="transcripts_deal_fk"
        ),
        PrimaryKeyConstraint("deal", "rotation", name="transcripts_pk"),
    )


def _replaced() -> None:
    op.create_table(
        "replaced",
        Column("deal", Integer(), autoincrement=False, nullable=False),
        Column("rotation", Integer(), autoincrement=False, nullable=False),
        Column("number", Integer(), autoincrement=False, nullable=False),
        Column("result", Text(), nullable=False),
        ForeignKeyConstraint(["deal"], ["deals.number"], name="replaced_deal_fk"),
        PrimaryKeyConstraint("deal", "rotation", "number", name="replaced_pk"),
        sqlite_with_rowid=False,
    )
