"""The number of matches that a seat's process had played before.

This module does not import `arena.tournament.store.schema`, which will change.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; processes of older matches played one match each."""
    op.add_column("seats", Column("earlier", Integer(), nullable=True))
