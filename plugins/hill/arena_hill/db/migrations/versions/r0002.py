"""Authors may agree to be named in the standings; by default they do not."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, false

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column for the agreement."""
    agreed: Column[bool] = Column("public", Boolean(), nullable=False, server_default=false())
    op.add_column("authors", agreed)
