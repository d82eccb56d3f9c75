"""The alembic environment: it runs the steps in the caller's transaction."""

from __future__ import annotations

from alembic import context

from arena.tournament.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
