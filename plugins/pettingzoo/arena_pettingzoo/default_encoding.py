"""Figures for games that offer no encoding of their own: a stopgap.

What a seat was told is taken apart into facts, such as `Acted.bets=true`. Each fact has one of
512 places, by a hash of its text; the figure there says how recently the fact was told: 1 for
the latest event, 1/2 for the one before, 1/3, 1/4 and so on. Facts that share a place are
taken for one another, and what was told twice counts by the last time. So this works a little
for any game, and worse than an encoding by somebody who knows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from arena import Game, Greeting

PLACES = 512


class Figures:
    """What a seat was told, the greeting first, as 512 figures from 0 to 1."""

    def __init__(self, game: Game, greeting: Greeting) -> None:
        self._game, self._count = game, 0
        self._latest: dict[int, int] = {}  # which event told of each place last
        self.tell(greeting)

    def tell(self, event: Any) -> None:
        """Take note of an event."""
        self._latest.update({place_of(fact): self._count for fact in facts_of(self._game, event)})
        self._count += 1

    def observation(self) -> list[float]:
        """Return them: the later a fact was told, the more."""
        figures = [0.0] * PLACES
        for place, at in self._latest.items():
            figures[place] = 1 / (self._count - at)
        return figures


def facts_of(game: Game, event: Any) -> Iterator[str]:
    """Yield the facts of an event; of the greeting, only the seat and the number of seats."""
    if isinstance(event, Greeting):
        yield f"Greeting.seat={event.seat}"
        yield f"Greeting.seats={event.seats}"
    else:
        packed = game.vocabulary.pack(event)
        name = packed.pop("tell")
        yield name
        yield from facts(name, packed)


def facts(path: str, value: Any) -> Iterator[str]:
    """Take a value of JSON apart.

    >>> list(facts("Bids", {"cards": [3, 1]}))
    ['Bids.cards.0=3', 'Bids.cards.1=1']
    """
    if isinstance(value, dict):
        for name, part in value.items():
            yield from facts(f"{path}.{name}", part)
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from facts(f"{path}.{at}", part)
    else:
        yield f"{path}={json.dumps(value)}"


@lru_cache(maxsize=1 << 16)
def place_of(fact: str) -> int:
    """Return a fact's place, the same on every machine and in every run.

    >>> place_of("Prize.card=3")
    41
    """
    return int.from_bytes(blake2b(fact.encode(), digest_size=8).digest()) % PLACES
