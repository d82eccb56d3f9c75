"""Secrets of people: who knows one has a place at a table, and nobody else knows it."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import NewType

SECRET_BYTES = 24  # of chance in the secret of a person

Secret = NewType("Secret", str)
"""By which one person has a place at one table: it is in the link of the person's page."""


def draw_secret() -> Secret:
    """Return a new secret."""
    return Secret(token_urlsafe(SECRET_BYTES))
