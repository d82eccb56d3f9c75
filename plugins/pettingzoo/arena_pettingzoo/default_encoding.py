"""The default observation encoding, for games that have none of their own.

The events of a seat are split into facts, such as `Acted.bets=true`. A hash of its text gives each
fact one of 512 places; the number there says how recent the fact is: 1 for the latest event, 1/2
for the one before, 1/3, 1/4 and so on. Facts that share a place cannot be told apart, and a
repeated fact counts by its last time. This works to some degree for any game, and worse than an
encoding by somebody who knows the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from arena import Game, Greeting

PLACES = 512


class DefaultObservationEncoder:
    """Encodes the events of a seat, from the greeting on, as 512 numbers from 0 to 1."""

    def __init__(self, game: Game, greeting: Greeting) -> None:
        self._game, self._count = game, 0
        self._latest: dict[int, int] = {}  # the last event of each place
        self.tell(greeting)

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._latest.update(
            {hash_fact(fact): self._count for fact in list_facts(self._game, event)}
        )
        self._count += 1

    def observation(self) -> list[float]:
        """Return the numbers: the more recent a fact, the larger."""
        figures = [0.0] * PLACES
        for place, at in self._latest.items():
            figures[place] = 1 / (self._count - at)
        return figures


def list_facts(game: Game, event: Any) -> Iterator[str]:
    """Yield the facts of an event; of the greeting, only the seat and the number of seats."""
    if isinstance(event, Greeting):
        yield f"Greeting.seat={event.seat}"
        yield f"Greeting.seats={event.seats}"
    else:
        packed = game.vocabulary.pack(event)
        name = packed.pop("tell")
        yield name
        yield from flatten(name, packed)


def flatten(path: str, value: Any) -> Iterator[str]:
    """Yield the facts of a JSON value.

    >>> list(flatten("Bids", {"cards": [3, 1]}))
    ['Bids.cards.0=3', 'Bids.cards.1=1']
    """
    if isinstance(value, dict):
        for name, part in value.items():
            yield from flatten(f"{path}.{name}", part)
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from flatten(f"{path}.{at}", part)
    else:
        yield f"{path}={json.dumps(value)}"


@lru_cache(maxsize=1 << 16)
def hash_fact(fact: str) -> int:
    """Return the place of a fact, the same on every machine and in every run.

    >>> hash_fact("Prize.card=3")
    41
    """
    return int.from_bytes(blake2b(fact.encode(), digest_size=8).digest()) % PLACES
