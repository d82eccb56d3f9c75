"""Brackets of single and double elimination: the pairings that follow from the results.

Seeds are numbered from 1. The first round of 8 is 1 v 8, 4 v 5, 2 v 7, 3 v 6, so that the best meet
as late as possible; if the field is no power of two, the best have a bye in the first round. In
double elimination, an entrant that has lost once continues in the losers' bracket. Its rounds
alternate between ties among its own and ties against the latest losers, whose order is reversed
every other time. Its winner meets that of the winners' bracket in the grand final, and again if it
wins, since then both have lost once.

A bracket is computed from its beginning each time; a function decides the ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import Factory, define, frozen

NOBODY, OPEN = 0, -1  # in place of a seed: a bye; not known yet
GRAND, SECOND = "grand final", "second grand final"

Slots = list[int]
Signs = tuple[tuple[frozenset[str], bool], ...]


@frozen
class BracketTie:
    """A tie: two seeds that meet, of which one advances.

    `signs` tell the winner from later pairings if the tie's own results do not: names of rounds,
    and whether an entrant that played there had won or lost this tie.
    """

    name: str
    first: int
    second: int
    signs: Signs = ()


@define
class Bracket:
    """The present state of a bracket."""

    decide: Callable[[BracketTie], int]  # returns the winner's seed, or OPEN
    ties: list[BracketTie] = Factory(list)  # undecided ones between known seeds
    out: list[tuple[str, int]] = Factory(list)  # rounds and seeds of eliminations, in order
    winner: int = OPEN

    def run_single(self, entrants: int) -> None:
        """Compute a bracket in which one loss eliminates."""
        slots, names = seed_first_round(entrants), name_single_rounds(entrants)
        for number, name in enumerate(names, 1):
            slots, losers = self._run_round(name, slots, ((frozenset(names[number:]), True),))
            self._eliminate(name, losers)
        self.winner = slots[0]

    def run_double(self, entrants: int) -> None:
        """Compute a bracket in which two losses eliminate."""
        up, down = name_winners_rounds(entrants), name_losers_rounds(entrants)
        slots, fallen = seed_first_round(entrants), []
        for number, name in enumerate(up, 1):
            later = (frozenset(up[number:]), True), (frozenset(down), False)
            slots, losers = self._run_round(name, slots, (*later, (frozenset([GRAND]), True)))
            fallen.append(losers)
        self._run_grand_final(slots[0], self._run_losers(down, fallen))

    def _run_losers(self, names: Sequence[str], fallen: Sequence[Slots]) -> int:
        """Compute the losers' bracket; return its winner."""
        slots = fallen[0]
        for number, name in enumerate(names):
            if number % 2:
                coming = fallen[(number + 1) // 2]
                coming = coming[::-1] if number % 4 == 1 else coming
                slots = [slot for two in zip(slots, coming, strict=True) for slot in two]
            later = frozenset([*names[number + 1 :], GRAND])
            slots, losers = self._run_round(name, slots, ((later, True),))
            self._eliminate(name, losers)
        return slots[0]

    def _run_grand_final(self, upper: int, lower: int) -> None:
        """Compute the grand final, and a second one if the finalist without a loss loses."""
        name = GRAND
        winner, loser = self._meet(BracketTie(GRAND, upper, lower))
        if winner == lower != OPEN:
            name = SECOND
            winner, loser = self._meet(BracketTie(SECOND, upper, lower))
        self._eliminate(name, [loser])
        self.winner = winner

    def _run_round(self, name: str, slots: Slots, signs: Signs) -> tuple[Slots, Slots]:
        """Pair neighbours; return the winners and the losers."""
        met = [
            self._meet(BracketTie(name, first, second, signs))
            for first, second in zip(slots[::2], slots[1::2], strict=True)
        ]
        return [winner for winner, _ in met], [loser for _, loser in met]

    def _meet(self, tie: BracketTie) -> tuple[int, int]:
        """Return the winner and the loser of a tie."""
        two = (tie.first, tie.second)
        if OPEN in two:
            return OPEN, OPEN
        if NOBODY in two:
            return max(two), NOBODY
        winner = self.decide(tie)
        if winner == OPEN:
            self.ties.append(tie)
            return OPEN, OPEN
        return winner, sum(two) - winner

    def _eliminate(self, name: str, losers: Slots) -> None:
        self.out += [(name, loser) for loser in losers if loser > 0]


def seed_first_round(entrants: int) -> Slots:
    """Return the seeds in an order in which neighbours meet; NOBODY marks a bye.

    >>> seed_first_round(5)
    [1, 0, 4, 5, 2, 0, 3, 0]
    """
    slots = [1]
    while len(slots) < entrants:
        last = 2 * len(slots) + 1
        slots = [slot for seed in slots for slot in (seed, last - seed)]
    return [seed if seed <= entrants else NOBODY for seed in slots]


def name_single_rounds(entrants: int) -> list[str]:
    """Return the names of the rounds.

    >>> name_single_rounds(9)
    ['round 1', 'quarter-final', 'semi-final', 'final']
    """
    rounds = _count_rounds(entrants)
    last = ["quarter-final", "semi-final", "final"]
    return [f"round {number}" for number in range(1, rounds - 2)] + last[max(0, 3 - rounds) :]


def name_winners_rounds(entrants: int) -> list[str]:
    """Return the names of the rounds of the winners' bracket."""
    rounds = _count_rounds(entrants)
    return [f"winners round {number}" for number in range(1, rounds)] + ["winners final"]


def name_losers_rounds(entrants: int) -> list[str]:
    """Return the names of the rounds of the losers' bracket; a field of two has none."""
    rounds = 2 * (_count_rounds(entrants) - 1)
    return [f"losers round {number}" for number in range(1, rounds)] + ["losers final"][:rounds]


def _count_rounds(entrants: int) -> int:
    return (entrants - 1).bit_length()
