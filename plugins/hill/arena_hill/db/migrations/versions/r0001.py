"""The first schema, which `Database.open` makes as a whole."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: this is where the steps begin."""
