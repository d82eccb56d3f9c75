"""The points of a Swiss tournament, from its results alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from attrs import frozen

from arena.tournament.formats.common import points
from arena.tournament.plan import Id, Past, Played

ROUND = re.compile(r"round (\d+)(?:, without (.+))?")


def stage(number: int, byes: Sequence[Id]) -> str:
    """Return a round's name, which says who sits out.

    >>> stage(3, ["a@1", "b@1"])
    'round 3, without a@1 b@1'
    """
    return f"round {number}" + (f", without {' '.join(byes)}" if byes else "")


@frozen
class Scores:
    """What everybody has after these rounds; who is not there has nothing."""

    rounds: int
    points: defaultdict[Id, float]
    byes: Counter[Id]
    opponents: defaultdict[Id, set[Id]]

    @classmethod
    def of(cls, past: Past) -> Scores:
        """Count what has been played."""
        number, byes = 0, Counter[Id]()
        for name in past.stages:
            if found := ROUND.fullmatch(name):
                number = max(number, int(found[1]))
                byes.update((found[2] or "").split())
        return cls(number, _points(past.results, byes), byes, _opponents(past.results))

    def buchholz(self, one: Id) -> float:
        """Return the sum of its opponents' points."""
        return sum(self.points[other] for other in sorted(self.opponents[one]))


def _points(results: Iterable[Played], byes: Counter[Id]) -> defaultdict[Id, float]:
    """Add up each round's mean, and the byes."""
    won: defaultdict[tuple[Id, str], list[float]] = defaultdict(list)
    for played in results:
        for one, some in zip(played.seats, points(played), strict=True):
            won[one, played.stage].append(some)
    total: defaultdict[Id, float] = defaultdict(float, byes)
    for (one, _), matches in won.items():
        total[one] += fmean(matches)
    return total


def _opponents(results: Iterable[Played]) -> defaultdict[Id, set[Id]]:
    met: defaultdict[Id, set[Id]] = defaultdict(set)
    for played in results:
        for one in played.seats:
            met[one].update({*played.seats} - {one})
    return met
