"""The outcome of a match in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.rules import Outcome, Score, format_count


def format_outcome(names: Sequence[str], outcome: Outcome, unit: str) -> Iterator[str]:
    """Yield the outcome of a match as lines; `unit` is the game's word for a round."""
    played = format_count(outcome.rounds, unit)
    yield f"{outcome.end.capitalize()} after {played}.{' ' * bool(outcome.detail)}{outcome.detail}"
    if outcome.places and outcome.scores:
        yield from format_placings(names, outcome.places, outcome.scores)


def format_placings(
    names: Sequence[str], places: Sequence[int], scores: Sequence[Score]
) -> Iterator[str]:
    """Yield a line for each player with place and score, best first."""
    table: Iterable[Any] = zip(places, names, scores, strict=True)
    for place, name, score in sorted(table, key=lambda row: row[0]):
        yield f"{place:>3}. {name}  {float(score):g}"
