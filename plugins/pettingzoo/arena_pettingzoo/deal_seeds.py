"""The seeds of one deal after the other."""

from __future__ import annotations

import secrets


class Deals:
    """Gives each deal its seed; one that was asked for fixes all that come after it."""

    def __init__(self) -> None:
        self._first: str | None = None  # nothing was asked for: every deal is a fresh one
        self._count = 0

    def seed(self, wanted: int | None) -> str:
        """Return the seed that is wanted; else one that follows from the last that was.

        So one seed fixes a whole training. Before any, return 128 random bits.
        """
        if wanted is not None:
            self._first, self._count = str(wanted), 0
            return self._first
        if self._first is None:
            return secrets.token_hex(16)
        self._count += 1
        return f"{self._first}, deal {self._count}"
