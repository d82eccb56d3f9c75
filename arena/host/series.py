"""A series: the same entrants, deal after deal, each deal played in every rotation of seats.

Luck cancels out where each has sat everywhere with the same cards about. Rotations keep
everybody's neighbours, so each deal has an order of its own. An entrant that plays a whole team
sits in all its seats, and teams rotate. The first deal's seed and order
are the series' own, so that any of its matches can be played again alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from random import Random

from attrs import evolve, field, frozen

from arena.host.entrants import Entrant, check_partners
from arena.plugins import Game, MatchSpec
from arena.rules import (
    Sides,
    Variant,
    derive_seed,
    find_sides,
    generate_seed,
    name_seats,
    seat_alone,
    spread_over_seats,
)
from arena.wires import dump

KEY_LENGTH = 16  # hexadecimal digits


@frozen
class Series:
    """Who plays what, from which seed."""

    game: Game  #: what is played
    variant: Variant  #: with these parameters
    entrants: tuple[Entrant, ...]  #: as seated in the first match
    seed: str = field(factory=generate_seed)  #: of the first deal; the others' are derived from it
    table: int | None = None  #: how many seats a match has, or None for one for each entrant

    @classmethod
    def create(
        cls,
        game: Game,
        variant: Variant,
        entrants: tuple[Entrant, ...],
        seed: str | None,
        table: int | None = None,
    ) -> Series:
        """Seat them as listed where a seed is given; else draw both seed and seating.

        Raises:
            UserError: where a team of several bots does not have a seat for each of them.
        """
        seated = entrants
        if seed is None:
            seed = generate_seed()
            seated = _shuffle(entrants, seed)
        series = cls(game, variant, seated, seed, table)
        check_partners(entrants, series.sides)
        return series

    @property
    def sides(self) -> Sides:
        """The seats of each entrant: one, or those of a side."""
        table = self.table or len(self.entrants)
        if table == len(self.entrants):
            return seat_alone(table)
        return find_sides(self.variant, table)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all players in all their seats."""
        return name_seats(self.sides, [entrant.name for entrant in self.entrants])

    def iter_matches(self, games: int) -> Iterator[tuple[MatchSpec, tuple[Entrant, ...]]]:
        """Yield each match's setting, and its entrants in seat order."""
        variant, turns = dump(self.game.write_variant(self.variant)), len(self.entrants)
        for deal in range(ceil(games / turns)):
            seed, order = self._draw_deal(deal)
            for turn in range(min(turns, games - deal * turns)):
                seated = seat_sides(self.sides, order[turn:] + order[:turn])
                yield self._build_spec(seed, seated, variant), seated

    def _draw_deal(self, number: int) -> tuple[str, tuple[Entrant, ...]]:
        """Return a deal's seed, and who sits where in its first match."""
        if number == 0:
            return self.seed, self.entrants
        seed = derive_seed(self.seed, "deal", number)
        return seed, _shuffle(self.entrants, seed)

    def _build_spec(self, seed: str, seated: tuple[Entrant, ...], variant: str) -> MatchSpec:
        names = tuple([entrant.name for entrant in seated])
        key = derive_seed(seed, "match", self.game.name, variant, *names)[:KEY_LENGTH]
        bots = tuple([entrant.bot for entrant in seated])
        return MatchSpec(key, self.game, self.variant, seed, names, bots)


def seat_sides(sides: Sides, entrants: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
    """Return the entrant in each seat, with a name of its own, given the entrant of each side.

    The bots of a team sit in its seats in their order.
    """
    names = name_seats(sides, [entrant.name for entrant in entrants])
    partners = {
        seat: partner
        for side, entrant in zip(sides, entrants, strict=True)
        for seat, partner in zip(side, entrant.partners, strict=False)
    }
    seated = [
        partners.get(seat, entrant)
        for seat, entrant in enumerate(spread_over_seats(sides, entrants))
    ]
    named = {seat for side, entrant in zip(sides, entrants, strict=True) for seat in side
             if entrant.has_own_names}  # fmt: skip
    return tuple([
        entrant if entrant.name == name or seat in named else evolve(entrant, name=name)
        for seat, (entrant, name) in enumerate(zip(seated, names, strict=True))
    ])  # fmt: skip


def _shuffle(entrants: tuple[Entrant, ...], seed: str) -> tuple[Entrant, ...]:
    """Return them in an order drawn with this seed."""
    order = list(entrants)
    Random(derive_seed(seed, "seating")).shuffle(order)
    return tuple(order)
