"""Figures for games that offer no encoding of their own: a stopgap.

What a seat was told is taken apart into facts, such as `Acted.bets=true`. Each fact has one of
512 places, by a hash of its text; the figure there says how recently the fact was told: 1 for
the latest event, 1/2 for the one before, 1/3, 1/4 and so on. Facts that share a place are
taken for one another, and what was told twice counts by the last time. So this works a little
for any game, and worse than an encoding by somebody who knows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from arena import Game, Greeting

PLACES = 512


def encode(game: Game, events: Sequence[Any]) -> list[float]:
    """Give what a seat was told, the greeting first, as 512 figures from 0 to 1."""
    figures = [0.0] * PLACES
    for place, event in enumerate(events):
        recent = 1 / (len(events) - place)  # the later, the more, so that the last one stays
        for fact in facts_of(game, event):
            figures[place_of(fact)] = recent
    return figures


def facts_of(game: Game, event: Any) -> Iterator[str]:
    """Give what an event says, one by one; of the greeting, only who sits where."""
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
    """Give a fact's place, the same on every machine and in every run.

    >>> place_of("Prize.card=3")
    41
    """
    return int.from_bytes(blake2b(fact.encode(), digest_size=8).digest()) % PLACES
