"""The database of a hill."""
