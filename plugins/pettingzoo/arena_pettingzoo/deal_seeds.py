"""The seeds of successive deals."""

from __future__ import annotations

import secrets


class DealSeeds:
    """Chooses the seed of each deal; a seed that is given fixes all that follow it."""

    def __init__(self) -> None:
        self._first: str | None = None  # no seed was given: every deal is random
        self._count = 0

    def next_seed(self, wanted: int | None) -> str:
        """Return the given seed, or one that follows from the last given one.

        So one seed fixes a whole training. Without a given seed, return 128 random bits.
        """
        if wanted is not None:
            self._first, self._count = str(wanted), 0
            return self._first
        if self._first is None:
            return secrets.token_hex(16)
        self._count += 1
        return f"{self._first}, deal {self._count}"
