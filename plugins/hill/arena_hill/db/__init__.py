"""The database of a hill, and the uploads beside it."""
