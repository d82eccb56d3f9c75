"""The upgrade of a database of an older version of arena; slow to import, and rarely needed."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

OURS = Path(__file__).with_name("migrations")


def upgrade(connection: Connection, steps: Path = OURS, revision: str = "head") -> None:
    """Upgrade the schema by the steps in a folder, in this connection's transaction."""
    config = Config()
    config.set_main_option("script_location", str(steps))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
