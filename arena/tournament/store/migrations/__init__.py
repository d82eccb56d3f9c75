"""The revisions of the schema, for alembic."""
