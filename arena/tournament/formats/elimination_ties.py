"""The state of the ties of an elimination, read from the stages of its matches.

A tie's stage is its round and its two seeds, such as `semi-final: 4 v 1`, where the first seed
belongs to the first id in sorted order. So the results reveal the seeds of all entrants that have
played; the others get the remaining seeds in the order of entry.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import Factory, define

from arena.tournament.formats.bracket import OPEN, BracketTie
from arena.tournament.formats.scoring import score_match
from arena.tournament.models.schedule import Id, PlayedMatch

STAGE = re.compile(r"(.+): (\d+) v (\d+)")
MAX_EXTRA_DEALS = 6  # extra deals to decide a level tie
Key = tuple[str, frozenset[int]]


@define
class TieState:
    """The state of a tie."""

    deals: int = 0
    good: int = 0  # deals that count
    first: Counter[Id] = Factory(Counter)  # by entrant: matches in the first seat
    won: defaultdict[int, float] = Factory(lambda: defaultdict(float))  # points by seed

    def add_points(self, rotations: Sequence[PlayedMatch], seed_of: Mapping[Id, int]) -> None:
        """Count the points of a deal that counts."""
        self.good += 1
        for played in rotations:
            for entrant, points in zip(played.seats, score_match(played), strict=True):
                self.won[seed_of[entrant]] += points


@define
class TieLedger:
    """The seeds, the remaining entrants and the states of all ties."""

    games: int  # deals per tie
    seeds: dict[int, Id]  # the known seeds
    here: frozenset[Id]
    entrants: int  # the number of seeds
    tallies: defaultdict[Key, TieState] = Factory(lambda: defaultdict(TieState))
    played: defaultdict[int, set[str]] = Factory(lambda: defaultdict(set))  # their rounds

    @classmethod
    def of(cls, order: Sequence[Id], results: Iterable[PlayedMatch], games: int) -> TieLedger:
        """Read the results; `order` lists the entrants that take part, the best seeds first."""
        ledger = cls(games, {}, frozenset(order), len(order))
        deals: defaultdict[int, list[PlayedMatch]] = defaultdict(list)
        for played in results:
            deals[played.deal].append(played)
        for rotations in deals.values():
            ledger._count_deal(rotations)
        if ledger.seeds:
            ledger.entrants = max(ledger.seeds)
        ledger._seed_newcomers(order)
        return ledger

    def _count_deal(self, rotations: Sequence[PlayedMatch]) -> None:
        """Count a deal, if all its rotations have results."""
        found = STAGE.fullmatch(rotations[0].stage)
        assert found, f"{rotations[0].stage!r} is not a tie"
        name, seeds = found[1], (int(found[2]), int(found[3]))
        seed_of = dict(zip(sorted(rotations[0].seats), seeds, strict=True))
        self.seeds |= {seed: entrant for entrant, seed in seed_of.items()}
        tally = self.tallies[name, frozenset(seeds)]
        tally.deals += 1
        tally.first.update(played.seats[0] for played in rotations)
        for seed in seeds:
            self.played[seed].add(name)
        if all(played.places for played in rotations):
            tally.add_points(rotations, seed_of)

    def _seed_newcomers(self, order: Sequence[Id]) -> None:
        """Give the free seeds to the entrants that have not played."""
        known = {*self.seeds.values()}
        waiting = (slot for slot in order if slot not in known)
        free = (seed for seed in range(1, self.entrants + 1) if seed not in self.seeds)
        self.seeds |= dict(zip(free, waiting, strict=False))

    def decide(self, tie: BracketTie) -> int:
        """Return the seed that advances: by results, by later pairings, or since the other left."""
        tally, first, second = self.find_state(tie), tie.first, tie.second
        ended = tally.deals >= self.games + MAX_EXTRA_DEALS
        if (tally.good >= self.games or ended) and tally.won[first] != tally.won[second]:
            return max(first, second, key=tally.won.__getitem__)
        went = self._infer_winner(tie)
        if went != OPEN:
            return went
        gone = [self.seeds.get(seed) not in self.here for seed in (first, second)]
        if gone[0] != gone[1]:
            return first if gone[1] else second
        return min(first, second) if ended or all(gone) else OPEN

    def _infer_winner(self, tie: BracketTie) -> int:
        """Return the winner as later pairings imply it, or OPEN."""
        for names, won in tie.signs:
            for seed, other in ((tie.first, tie.second), (tie.second, tie.first)):
                if self.played[seed] & names:
                    return seed if won else other
        return OPEN

    def count_next_deals(self, tie: BracketTie) -> int:
        """Return the number of deals to play next: those of the tie, or one more while level."""
        tally = self.find_state(tie)
        left = self.games + MAX_EXTRA_DEALS - tally.deals
        return min(left, max(1, self.games - tally.good))

    def name_stage(self, tie: BracketTie) -> str:
        """Return the stage of a tie's deals."""
        first, second = sorted((tie.first, tie.second), key=self.seeds.__getitem__)
        return f"{tie.name}: {first} v {second}"

    def find_state(self, tie: BracketTie) -> TieState:
        """Return the state of a tie."""
        return self.tallies[tie.name, frozenset((tie.first, tie.second))]
