"""The steps from each schema to the next, for alembic."""
