"""Rows of the database of a hill as objects: a query selects a column for each field of a class."""

from __future__ import annotations

from attrs import AttrsInstance, fields


def list_columns(kind: type[AttrsInstance], **columns: str) -> str:
    """Return the columns of the fields of a class in their order, so that `kind(*row)` reads a row.

    `columns` are those that are not called as their fields. What a database may have as another
    type, such as a number for a bool in SQLite, the class converts.
    """
    return ", ".join(columns.get(field.name, field.name) for field in fields(kind))
