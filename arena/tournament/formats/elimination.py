"""Single and double elimination.

Seeds are numbered from 1. The first round of 8 is 1 v 8, 4 v 5, 2 v 7, 3 v 6, so that the best
meet as late as possible; if the field is no power of two, the best have a bye in the first round.
In double elimination, an entrant that has lost once continues in the losers' bracket. Its rounds
alternate between ties among its own and ties against the latest losers, whose order is reversed
every other time. Its winner meets that of the winners' bracket in the grand final, and again if
it wins, since then both have lost once.

A bracket is computed from its beginning each time; the ledger of ties decides them by the results.
A deal's state is the round of its tie and the seeds of its two seats. So the results reveal the
seeds of all entrants that have played; the others get the remaining seeds in the order of entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar

from attrs import Factory, define, frozen, validators
from attrs import field as parameter

from arena.rules import UserError
from arena.tournament.deals import Deal, PastMatches, PlayedMatch
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatStanding, FormatTerms
from arena.tournament.formats.seating import SeatingPlanner, check_field, score_match
from arena.tournament.places import rank_entrants

NOBODY, OPEN = 0, -1  # in place of a seed: a bye; not known yet
GRAND, SECOND = "grand final", "second grand final"
MAX_EXTRA_DEALS = 6  # extra deals to decide a level tie
IN, WON = "still in", "winner"

Slots = list[int]
Signs = tuple[tuple[frozenset[str], bool], ...]
TieKey = tuple[str, frozenset[int]]


@frozen
class Elimination:
    """The loser of a tie is out or, with `losses=2`, the loser of two ties.

    Seeds are the order of entry, or drawn (`seeding="drawn"`). A tie is `games` deals, won by total
    points (win 1, draw 1/2); a deal counts only if none of its matches is void. If a tie is level,
    or too few of its deals count, up to 6 more deals are played one by one; then the better seed
    advances. An entrant that left loses by walkover, and so does a replaced version. A late entrant
    takes part only in the place of an entrant that left before its first tie.
    """

    losses: int = parameter(default=1, validator=validators.in_((1, 2)))
    games: int = parameter(default=1, validator=validators.ge(1))
    seeding: str = parameter(default="entry", validator=validators.in_(("entry", "drawn")))
    adaptive: ClassVar[bool] = True
    open: ClassVar[bool] = False
    needs_opponents: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError for matches of more than two, or if `matches` is set."""
        if not terms.is_pairwise:
            raise UserError(
                f"elimination needs matches of 2 entrants, not of {terms.entrants_per_match}"
            )
        check_field(field, terms)
        if terms.matches is not None:
            raise UserError("elimination: set `games` (per tie) instead of `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return the deals of all ties whose two entrants are known."""
        if self.seeding == "drawn" and not past.deals:
            field = draw.sample(field, len(field))
        ledger = TieLedger.of(field, past.results, self.games)
        planner = SeatingPlanner.after(past, terms, draw)
        for tie in self._fill_bracket(ledger).ties:
            _plan_tie(tie, ledger, planner)
        return planner.deals

    def ranking(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[FormatStanding]:
        """Return the entrants with the round in which each was eliminated, the best first.

        Entrants eliminated in the same round share a place. Entrants without a place in the bracket
        are left out.
        """
        ledger = TieLedger.of(field, past.results, self.games)
        bracket = self._fill_bracket(ledger)
        fates = {seed: WON if seed == bracket.winner else IN for seed in sorted(ledger.seeds)}
        names = [WON, IN, *(name for name, _ in reversed(bracket.out))]
        fates |= {seed: name for name, seed in bracket.out if seed in fates}
        of_entrant = {ledger.seeds[seed]: fate for seed, fate in fates.items()}
        rounds = {entrant: (-names.index(fate),) for entrant, fate in of_entrant.items()}
        return [
            FormatStanding(place, entrant, of_entrant[entrant])
            for place, entrant in rank_entrants(rounds)
        ]

    def _fill_bracket(self, ledger: TieLedger) -> Bracket:
        """Compute the bracket as far as results are known."""
        bracket = Bracket(ledger.decide)
        if ledger.field_size < 2:  # noqa: PLR2004
            return bracket
        if self.losses == 1:
            bracket.run_single(ledger.field_size)
        else:
            bracket.run_double(ledger.field_size)
        return bracket


def _plan_tie(tie: BracketTie, ledger: TieLedger, planner: SeatingPlanner) -> None:
    """Plan a tie's next deals; the entrant that was seated first less often comes first."""
    two = ledger.seeds[tie.first], ledger.seeds[tie.second]
    seed_of = dict(zip(two, (tie.first, tie.second), strict=True))
    first = ledger.find_tally(tie).first.copy()
    for _ in range(ledger.count_next_deals(tie)):
        seats = planner.choose_order(two)
        if first[seats[0]] > first[seats[1]]:
            seats = seats[::-1]
        state = (tie.name, *(seed_of[entrant] for entrant in seats))
        planner.add(seats, ledger.name_stage(tie), state)
        first.update(seats[:1] if planner.terms.count_rotations(seats) == 1 else seats)


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

    def run_single(self, field_size: int) -> None:
        """Compute a bracket in which one loss eliminates."""
        slots, names = seed_first_round(field_size), name_single_rounds(field_size)
        for number, name in enumerate(names, 1):
            slots, losers = self._run_round(name, slots, ((frozenset(names[number:]), True),))
            self._eliminate(name, losers)
        self.winner = slots[0]

    def run_double(self, field_size: int) -> None:
        """Compute a bracket in which two losses eliminate."""
        up, down = name_winners_rounds(field_size), name_losers_rounds(field_size)
        slots, losers_by_round = seed_first_round(field_size), []
        for number, name in enumerate(up, 1):
            later = (frozenset(up[number:]), True), (frozenset(down), False)
            slots, losers = self._run_round(name, slots, (*later, (frozenset([GRAND]), True)))
            losers_by_round.append(losers)
        self._run_grand_final(slots[0], self._run_losers(down, losers_by_round))

    def _run_losers(self, names: Sequence[str], losers_by_round: Sequence[Slots]) -> int:
        """Compute the losers' bracket; return its winner."""
        slots = losers_by_round[0]
        for number, name in enumerate(names):
            if number % 2:
                coming = losers_by_round[(number + 1) // 2]
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
        results = [
            self._meet(BracketTie(name, first, second, signs))
            for first, second in zip(slots[::2], slots[1::2], strict=True)
        ]
        return [winner for winner, _ in results], [loser for _, loser in results]

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


def seed_first_round(field_size: int) -> Slots:
    """Return the seeds in an order in which neighbours meet; NOBODY marks a bye.

    >>> seed_first_round(5)
    [1, 0, 4, 5, 2, 0, 3, 0]
    """
    slots = [1]
    while len(slots) < field_size:
        last = 2 * len(slots) + 1
        slots = [slot for seed in slots for slot in (seed, last - seed)]
    return [seed if seed <= field_size else NOBODY for seed in slots]


def name_single_rounds(field_size: int) -> list[str]:
    """Return the names of the rounds.

    >>> name_single_rounds(9)
    ['round 1', 'quarter-final', 'semi-final', 'final']
    """
    rounds = _count_rounds(field_size)
    last = ["quarter-final", "semi-final", "final"]
    return [f"round {number}" for number in range(1, rounds - 2)] + last[max(0, 3 - rounds) :]


def name_winners_rounds(field_size: int) -> list[str]:
    """Return the names of the rounds of the winners' bracket."""
    rounds = _count_rounds(field_size)
    return [f"winners round {number}" for number in range(1, rounds)] + ["winners final"]


def name_losers_rounds(field_size: int) -> list[str]:
    """Return the names of the rounds of the losers' bracket; a field of two has none."""
    rounds = 2 * (_count_rounds(field_size) - 1)
    return [f"losers round {number}" for number in range(1, rounds)] + ["losers final"][:rounds]


def _count_rounds(field_size: int) -> int:
    return (field_size - 1).bit_length()


@define
class TieTally:
    """What a tie has come to: its deals and their points."""

    deals: int = 0
    counted: int = 0  # deals that count
    first: Counter[Id] = Factory(Counter)  # by entrant: matches in the first seat
    won: defaultdict[int, float] = Factory(lambda: defaultdict(float))  # points by seed

    def add_points(self, rotations: Sequence[PlayedMatch], seed_of: Mapping[Id, int]) -> None:
        """Count the points of a deal that counts."""
        self.counted += 1
        for match in rotations:
            for entrant, points in zip(match.seats, score_match(match), strict=True):
                self.won[seed_of[entrant]] += points


@define
class TieLedger:
    """The seeds, the remaining entrants and the tallies of all ties."""

    games: int  # deals per tie
    seeds: dict[int, Id]  # the known seeds
    present: frozenset[Id]  # the entrants that take part
    field_size: int  # the number of seeds
    tallies: defaultdict[TieKey, TieTally] = Factory(lambda: defaultdict(TieTally))
    rounds: defaultdict[int, set[str]] = Factory(lambda: defaultdict(set))  # that each seed played

    @classmethod
    def of(cls, order: Sequence[Id], results: Iterable[PlayedMatch], games: int) -> TieLedger:
        """Read the results; `order` lists the entrants that take part, the best seeds first."""
        ledger = cls(games, {}, frozenset(order), len(order))
        deals: defaultdict[int, list[PlayedMatch]] = defaultdict(list)
        for match in results:
            deals[match.deal.number].append(match)
        for rotations in deals.values():
            ledger._count_deal(rotations)
        if ledger.seeds:
            ledger.field_size = max(ledger.seeds)
        ledger._seed_newcomers(order)
        return ledger

    def _count_deal(self, rotations: Sequence[PlayedMatch]) -> None:
        """Count a deal, if all its rotations have results."""
        deal = rotations[0].deal
        name, *seeds = deal.state
        seed_of = dict(zip(deal.seats, seeds, strict=True))
        self.seeds |= {seed: entrant for entrant, seed in seed_of.items()}
        tally = self.tallies[name, frozenset(seeds)]
        tally.deals += 1
        tally.first.update(match.seats[0] for match in rotations)
        for seed in seeds:
            self.rounds[seed].add(name)
        if all(match.places for match in rotations):
            tally.add_points(rotations, seed_of)

    def _seed_newcomers(self, order: Sequence[Id]) -> None:
        """Give the free seeds to the entrants that have not played."""
        seeded = {*self.seeds.values()}
        newcomers = (entrant for entrant in order if entrant not in seeded)
        free = (seed for seed in range(1, self.field_size + 1) if seed not in self.seeds)
        self.seeds |= dict(zip(free, newcomers, strict=False))

    def decide(self, tie: BracketTie) -> int:
        """Return the seed that advances: by results, by later pairings, or since the other left."""
        tally, first, second = self.find_tally(tie), tie.first, tie.second
        is_over = tally.deals >= self.games + MAX_EXTRA_DEALS
        if (tally.counted >= self.games or is_over) and tally.won[first] != tally.won[second]:
            return max(first, second, key=tally.won.__getitem__)
        winner = self._infer_winner(tie)
        if winner != OPEN:
            return winner
        is_absent = [self.seeds.get(seed) not in self.present for seed in (first, second)]
        if is_absent[0] != is_absent[1]:
            return first if is_absent[1] else second
        return min(first, second) if is_over or all(is_absent) else OPEN

    def _infer_winner(self, tie: BracketTie) -> int:
        """Return the winner as later pairings imply it, or OPEN."""
        for names, is_win in tie.signs:
            for seed, other in ((tie.first, tie.second), (tie.second, tie.first)):
                if self.rounds[seed] & names:
                    return seed if is_win else other
        return OPEN

    def count_next_deals(self, tie: BracketTie) -> int:
        """Return the number of deals to play next: those of the tie, or one more while level."""
        tally = self.find_tally(tie)
        remainder = self.games + MAX_EXTRA_DEALS - tally.deals
        return min(remainder, max(1, self.games - tally.counted))

    def name_stage(self, tie: BracketTie) -> str:
        """Return the stage of a tie's deals, such as `semi-final: 4 v 1`, in the order of ids."""
        first, second = sorted((tie.first, tie.second), key=self.seeds.__getitem__)
        return f"{tie.name}: {first} v {second}"

    def find_tally(self, tie: BracketTie) -> TieTally:
        """Return the state of a tie."""
        return self.tallies[tie.name, frozenset((tie.first, tie.second))]
