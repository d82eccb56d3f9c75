"""A series: the same entrants, deal after deal, each deal played in every rotation of seats.

Luck cancels out where each has sat everywhere with the same cards about. Rotations keep
everybody's neighbours, so each deal has an order of its own. The first deal's seed and order
are the series' own, so that any of its matches can be played again alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from random import Random

from attrs import field, frozen

from arena.host.entering import Entrant
from arena.plugins import Game, MatchSpec
from arena.rules import Variant, derived, fresh
from arena.wires import dump

KEY_LENGTH = 16  # hexadecimal digits


@frozen
class Series:
    """Who plays what, from which seed."""

    game: Game  #: what is played
    variant: Variant  #: with these parameters
    entrants: tuple[Entrant, ...]  #: as seated in the first match
    seed: str = field(factory=fresh)  #: of the first deal; the others' are derived from it

    @classmethod
    def seated(
        cls, game: Game, variant: Variant, entrants: tuple[Entrant, ...], seed: str | None
    ) -> Series:
        """Seat them as listed where a seed is given; else draw both seed and seating."""
        if seed is not None:
            return cls(game, variant, entrants, seed)
        seed = fresh()
        return cls(game, variant, _drawn(entrants, seed), seed)

    def matches(self, games: int) -> Iterator[tuple[MatchSpec, tuple[Entrant, ...]]]:
        """Yield each match's setting, and its entrants in seat order."""
        variant, turns = dump(self.game.write_variant(self.variant)), len(self.entrants)
        for deal in range(ceil(games / turns)):
            seed, order = self._deal(deal)
            for turn in range(min(turns, games - deal * turns)):
                seated = order[turn:] + order[:turn]
                yield self._setting(seed, seated, variant), seated

    def _deal(self, number: int) -> tuple[str, tuple[Entrant, ...]]:
        """Return a deal's seed, and who sits where in its first match."""
        if number == 0:
            return self.seed, self.entrants
        seed = derived(self.seed, "deal", number)
        return seed, _drawn(self.entrants, seed)

    def _setting(self, seed: str, seated: tuple[Entrant, ...], variant: str) -> MatchSpec:
        names = tuple([entrant.name for entrant in seated])
        key = derived(seed, "match", self.game.name, variant, *names)[:KEY_LENGTH]
        bots = tuple([entrant.bot for entrant in seated])
        return MatchSpec(key, self.game, self.variant, seed, names, bots)


def _drawn(entrants: tuple[Entrant, ...], seed: str) -> tuple[Entrant, ...]:
    """Return them in an order drawn with this seed."""
    order = list(entrants)
    Random(derived(seed, "seating")).shuffle(order)
    return tuple(order)
