"""The first schema, which `Database.open` creates as a whole."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: this is the first revision."""
