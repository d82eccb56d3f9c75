"""Entrants, results and tournament files for the tests of formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random

from attrs import Factory, define, evolve

from arena.tournament.deals import Deal, PastMatches, PlayedMatch
from arena.tournament.entries import Id
from arena.tournament.format_protocol import Format, FormatTerms
from arena.tournament.formats import FORMATS

Places = Callable[[Deal, int], tuple[int, ...] | None]


MATCHES = {"king-of-the-hill", "ladder"}  # these go on until matches are played


def build_ids(count: int, name: str = "e") -> list[Id]:
    """Name some; of e0, e1, ... the first is the best."""
    return [f"{name}{number}@1" for number in range(count)]


def strength(entrant: Id) -> float:
    """Return how good it is: by the number in its name."""
    return -float("".join(filter(str.isdigit, entrant.partition("@")[0])))


def rank_by_strength(deal: Deal, rotation: int) -> tuple[int, ...]:
    """Have the better win always."""
    order = sorted(map(strength, deal.rotate(rotation)), reverse=True)
    return tuple(1 + order.index(strength(entrant)) for entrant in deal.rotate(rotation))


def rank_by_chance(luck: float, void: float = 0.0) -> Places:
    """Have the better win more often; draws where it is close; some are void."""

    def places(deal: Deal, rotation: int) -> tuple[int, ...] | None:
        chance = Random(f"{deal.number} {rotation}")
        if chance.random() < void:
            return None
        seats = deal.rotate(rotation)
        scores = [round(strength(entrant) / 3 + chance.gauss(0, luck)) for entrant in seats]
        return tuple(1 + sum(other > score for other in scores) for score in scores)

    return places


@define
class FormatRun:
    """Runs a format as a schedule does, with matches that are over at once."""

    format: Format
    terms: FormatTerms
    field: list[Id]
    places: Places = rank_by_strength
    seed: str = "seed"
    strict: bool = False  # is everything asked twice?
    past: PastMatches = Factory(PastMatches)
    results: list[PlayedMatch] = Factory(list)

    def next(self) -> list[Deal]:
        """Plan and play what comes next, and check what holds for it."""
        if self.format.adaptive:
            self.add_results()
        draw = f"{self.seed} {self.past.deals}"
        before = deepcopy(self.past) if self.strict else self.past
        deals = self.format.next(tuple(self.field), self.past, self.terms, Random(draw))
        if self.strict:
            assert self.past == before
            again = self.format.next(tuple(self.field), before, self.terms, Random(draw))
            assert [*deals] == [*again]
        for deal in deals:
            seats = {*deal.seats} & {*self.field}
            assert len(seats) == len(deal.seats)
            assert deal.alone or len(seats) == self.terms.entrants_per_match
            assert deal.number == self.past.deals
            self.past.count_deal(deal)
            self._play(deal)
        return [*deals]

    def add_results(self) -> None:
        """Complete the past with the results of all matches that are over."""
        self.past = evolve(self.past, results=tuple(self.results))

    def _play(self, deal: Deal) -> None:
        for rotation in range(deal.rotations):
            places = self.places(deal, rotation)
            assert places is None or min(places) == 1
            self.results.append(PlayedMatch(deal, rotation, places))

    def run(self, most: int = 5000) -> list[Deal]:
        """Go on until the format is through."""
        deals: list[Deal] = []
        while new := self.next():
            deals += new
            assert len(deals) < most, "it does not end"
        return deals

    def plays(self) -> list[int]:
        """Return how many matches each of the field has."""
        return [self.past.plays[entrant] for entrant in self.field]


def build_tournament(
    name: str, entrants: int, table: int, *, duplicate: bool = False, keepers: Sequence[Id] = ()
) -> FormatRun:
    """Make a tournament of this format, of reasonable length."""
    matches = 3 * entrants if name in MATCHES else None
    terms = FormatTerms(table, matches, entrants, duplicate, frozenset(keepers))
    return FormatRun(
        FORMATS[name](), terms, build_ids(entrants), rank_by_chance(1.0, 0.05), strict=True
    )


def run_all_formats() -> list[object]:
    """Return what a tournament of each format comes to, at tables of two and of three."""
    return [
        build_tournament(name, 9, table).run()
        for name in FORMATS
        for table in ((2,) if name == "elimination" else (2, 3))
    ]
