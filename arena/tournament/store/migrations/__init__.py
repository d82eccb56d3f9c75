"""The steps by which the schema has grown, for alembic."""
