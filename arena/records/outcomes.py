"""How a match came out, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.rules import Outcome, Score


def result(names: Sequence[str], outcome: Outcome, unit: str) -> Iterator[str]:
    """Say how a match came out, the best first; `unit` is what the game calls a round."""
    played = counted(outcome.rounds, unit)
    yield f"{outcome.end.capitalize()} after {played}.{' ' * bool(outcome.detail)}{outcome.detail}"
    if outcome.places and outcome.scores:
        yield from standings(names, outcome.places, outcome.scores)


def standings(
    names: Sequence[str], places: Sequence[int], scores: Sequence[Score]
) -> Iterator[str]:
    """Say who stands where, with how many points, the best first."""
    table: Iterable[Any] = zip(places, names, scores, strict=True)
    for place, name, score in sorted(table, key=lambda row: row[0]):
        yield f"{place:>3}. {name}  {float(score):g}"


def counted(number: int, unit: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "trick"), counted(13, "trick")
    ('1 trick', '13 tricks')
    """
    return f"{number} {unit}{'' if number == 1 else 's'}"
