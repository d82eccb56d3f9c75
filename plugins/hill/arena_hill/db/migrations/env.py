"""The alembic environment: runs the migrations in the caller's transaction."""

from __future__ import annotations

from alembic import context

from arena_hill.db.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
