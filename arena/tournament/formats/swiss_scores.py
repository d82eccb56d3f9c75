"""The points of a Swiss tournament, computed from its results."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from attrs import frozen

from arena.tournament.formats.scoring import score_match
from arena.tournament.models.schedule import Id, PastMatches, PlayedMatch

ROUND = re.compile(r"round (\d+)(?:, without (.+))?")


def name_stage(number: int, byes: Sequence[Id]) -> str:
    """Return the name of a round, including the entrants with a bye.

    >>> name_stage(3, ["a@1", "b@1"])
    'round 3, without a@1 b@1'
    """
    return f"round {number}" + (f", without {' '.join(byes)}" if byes else "")


@frozen
class SwissScores:
    """The points of all entrants after some rounds; missing entrants have none."""

    rounds: int
    points: defaultdict[Id, float]
    byes: Counter[Id]
    opponents: defaultdict[Id, set[Id]]

    @classmethod
    def of(cls, past: PastMatches) -> SwissScores:
        """Count the results of the rounds played so far."""
        number, byes = 0, Counter[Id]()
        for name in past.stages:
            if found := ROUND.fullmatch(name):
                number = max(number, int(found[1]))
                byes.update((found[2] or "").split())
        return cls(number, _sum_points(past.results, byes), byes, _collect_opponents(past.results))

    def compute_buchholz(self, entrant: Id) -> float:
        """Return the Buchholz score: the sum of the points of an entrant's opponents."""
        return sum(self.points[other] for other in sorted(self.opponents[entrant]))


def _sum_points(results: Iterable[PlayedMatch], byes: Counter[Id]) -> defaultdict[Id, float]:
    """Add up each round's mean, and the byes."""
    won: defaultdict[tuple[Id, str], list[float]] = defaultdict(list)
    for played in results:
        for entrant, some in zip(played.seats, score_match(played), strict=True):
            won[entrant, played.stage].append(some)
    total: defaultdict[Id, float] = defaultdict(float, byes)
    for (entrant, _), matches in won.items():
        total[entrant] += fmean(matches)
    return total


def _collect_opponents(results: Iterable[PlayedMatch]) -> defaultdict[Id, set[Id]]:
    met: defaultdict[Id, set[Id]] = defaultdict(set)
    for played in results:
        for entrant in played.seats:
            met[entrant].update({*played.seats} - {entrant})
    return met
