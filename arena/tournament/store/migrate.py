"""Upgrading a database of an older version of arena. Slow to import, and seldom needed."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

OURS = Path(__file__).with_name("migrations")


def upgrade(connection: Connection, steps: Path = OURS, revision: str = "head") -> None:
    """Change the schema by the steps in a folder, within the transaction of this connection."""
    config = Config()
    config.set_main_option("script_location", str(steps))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
