"""What the results say of an elimination's ties, whose rounds' names say which they are.

A tie's stage is its round and its two seeds, such as `semi-final: 4 v 1`: first the seed
of the one whose id comes first in order. So the seeds of all who have played are known from
the results; who has not is whoever is left, in the order of entry.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from attrs import Factory, define

from arena.tournament.formats.bracket import OPEN, Tie
from arena.tournament.formats.common import points
from arena.tournament.plan import Id, Played

STAGE = re.compile(r"(.+): (\d+) v (\d+)")
MORE = 6  # deals in which a tie that is level is played on
Key = tuple[str, frozenset[int]]


@define
class Tally:
    """How a tie stands."""

    deals: int = 0
    good: int = 0  # deals that count
    first: Counter[Id] = Factory(Counter)  # matches in which each had the first seat
    won: defaultdict[int, float] = Factory(lambda: defaultdict(float))  # by seed


@define
class Ledger:
    """Who has which seed, who is still there, and how the ties stand."""

    games: int  # deals of a tie
    seeds: dict[int, Id]  # of all that are known
    here: frozenset[Id]
    entrants: int  # seeds that there are
    tallies: defaultdict[Key, Tally] = Factory(lambda: defaultdict(Tally))
    played: defaultdict[int, set[str]] = Factory(lambda: defaultdict(set))  # rounds of a seed

    @classmethod
    def of(cls, order: Sequence[Id], results: Iterable[Played], games: int) -> Ledger:
        """Read the results; `order` are those who take part, the best seeds first."""
        ledger = cls(games, {}, frozenset(order), len(order))
        deals: defaultdict[int, list[Played]] = defaultdict(list)
        for played in results:
            deals[played.deal].append(played)
        for rotations in deals.values():
            ledger._count(rotations)
        if ledger.seeds:
            ledger.entrants = max(ledger.seeds)
        ledger._complete(order)
        return ledger

    def _count(self, rotations: Sequence[Played]) -> None:
        """Count a deal, which counts only if all its turns do."""
        found = STAGE.fullmatch(rotations[0].stage)
        assert found, f"{rotations[0].stage!r} is no tie"
        name, seeds = found[1], (int(found[2]), int(found[3]))
        seed_of = dict(zip(sorted(rotations[0].seats), seeds, strict=True))
        self.seeds |= {seed: one for one, seed in seed_of.items()}
        tally = self.tallies[name, frozenset(seeds)]
        tally.deals += 1
        tally.first.update(played.seats[0] for played in rotations)
        for seed in seeds:
            self.played[seed].add(name)
        if all(played.places for played in rotations):
            tally.good += 1
            for played in rotations:
                for one, some in zip(played.seats, points(played), strict=True):
                    tally.won[seed_of[one]] += some

    def _complete(self, order: Sequence[Id]) -> None:
        """Seed those who have not played the seeds that are left; there may be fewer."""
        known = {*self.seeds.values()}
        waiting = (one for one in order if one not in known)
        free = (seed for seed in range(1, self.entrants + 1) if seed not in self.seeds)
        self.seeds |= dict(zip(free, waiting, strict=False))

    def decide(self, tie: Tie) -> int:
        """Return who goes on: by results, by what came after, or because the other is gone."""
        tally, one, other = self.tally(tie), tie.one, tie.other
        ended = tally.deals >= self.games + MORE
        if (tally.good >= self.games or ended) and tally.won[one] != tally.won[other]:
            return max(one, other, key=tally.won.__getitem__)
        went = self._went_on(tie)
        if went != OPEN:
            return went
        gone = [self.seeds.get(seed) not in self.here for seed in (one, other)]
        if gone[0] != gone[1]:
            return one if gone[1] else other
        return min(one, other) if ended or all(gone) else OPEN

    def _went_on(self, tie: Tie) -> int:
        """Return who must have won by what was played since."""
        for names, won in tie.signs:
            for one, other in ((tie.one, tie.other), (tie.other, tie.one)):
                if self.played[one] & names:
                    return one if won else other
        return OPEN

    def wanted(self, tie: Tie) -> int:
        """Return how many deals are played next: those of the tie, or one more while level."""
        tally = self.tally(tie)
        left = self.games + MORE - tally.deals
        return min(left, max(1, self.games - tally.good))

    def stage(self, tie: Tie) -> str:
        """Return the stage of its deals."""
        one, other = sorted((tie.one, tie.other), key=self.seeds.__getitem__)
        return f"{tie.name}: {one} v {other}"

    def tally(self, tie: Tie) -> Tally:
        """Return how it stands."""
        return self.tallies[tie.name, frozenset((tie.one, tie.other))]
