"""A series: the same entrants, deal after deal, each deal played in every rotation of seats.

Luck cancels out where each has sat everywhere with the same cards about; the first deal's
seed is the series' own, so that any of its matches can be played again alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from attrs import field, frozen

from arena import seeds
from arena.entrants import Entrant
from arena.game import Game
from arena.jsonlines import dump
from arena.observer import Setting
from arena.play import Variant

KEY_LENGTH = 16  # hexadecimal digits


@frozen
class Series:
    """Who plays what, from which seed."""

    game: Game
    variant: Variant
    entrants: tuple[Entrant, ...]  # as seated in the first match
    seed: str = field(factory=seeds.fresh)

    @classmethod
    def seated(
        cls, game: Game, variant: Variant, entrants: tuple[Entrant, ...], seed: str | None
    ) -> Series:
        """Seat them as listed where a seed is given; else draw both seed and seating."""
        if seed is not None:
            return cls(game, variant, entrants, seed)
        seed = seeds.fresh()
        order = list(entrants)
        Random(seeds.derived(seed, "seating")).shuffle(order)
        return cls(game, variant, tuple(order), seed)

    def matches(self, games: int) -> Iterator[tuple[Setting, tuple[Entrant, ...]]]:
        """Give each match's setting, and its entrants in seat order."""
        for number in range(games):
            deal, turned = divmod(number, len(self.entrants))
            seated = self.entrants[turned:] + self.entrants[:turned]
            seed = seeds.derived(self.seed, "deal", deal) if deal else self.seed
            yield self._setting(seed, seated), seated

    def _setting(self, seed: str, seated: tuple[Entrant, ...]) -> Setting:
        names = tuple(entrant.name for entrant in seated)
        variant = dump(self.game.write_variant(self.variant))
        key = seeds.derived(seed, "match", self.game.name, variant, *names)[:KEY_LENGTH]
        bots = tuple(entrant.bot for entrant in seated)
        return Setting(key, self.game, self.variant, seed, names, bots)
