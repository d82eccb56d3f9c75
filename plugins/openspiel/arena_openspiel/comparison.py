"""Our rules beside OpenSpiel's, as `arena-openspiel compare` shows them.

Random games, each of a variant that both have, unless options say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from attrs import frozen

from arena import Game, Play
from arena_openspiel.bridge import Bridge
from arena_openspiel.lockstep import Difference, Lockstep


@frozen
class Report:
    """How many games and decisions were compared, and all differences."""

    game: str
    games: int
    deals: int
    decisions: int
    differences: Sequence[Difference]
    explained: Mapping[str, str]

    @property
    def holds(self) -> bool:
        """Return whether all differences are explained."""
        return all(difference.kind in self.explained for difference in self.differences)

    def lines(self) -> Iterator[str]:
        """Yield the report: for each kind of difference its count, first place and reason."""
        yield (
            f"{self.game}: {self.games} games, {self.deals} deals, {self.decisions} decisions: "
            f"{'no difference' if not self.differences else 'these differences'}"
        )
        for kind, count in Counter(difference.kind for difference in self.differences).items():
            first = next(difference for difference in self.differences if difference.kind == kind)
            yield f"  {kind}, in {count} games; first in {first}"
            yield f"    {self.explained.get(kind, 'not explained')}"


def compare(game: Game, kind: type[Bridge], games: int, seed: str, **given: Any) -> Report:
    """Play this number of games by both rules; `given` are options of the variant, and `seats`.

    What is not given is drawn for each game from what OpenSpiel has as well. Raises ValueError
    if there is no such variant.
    """
    deals, decisions, differences = 0, 0, list[Difference]()
    for number in range(1, games + 1):
        game_pair = lockstep(game, kind, number, Random(f"{seed}/{number}"), given)
        differences += game_pair.run().values()
        deals, decisions = deals + game_pair.deals, decisions + game_pair.move
    return Report(game.name, games, deals, decisions, differences, kind.explained)


def lockstep(
    game: Game, kind: type[Bridge], number: int, random: Random, given: Mapping[str, Any]
) -> Lockstep:
    """Deal one game."""
    drawn = kind.drawn(random)
    options = {**drawn.options, **given}
    seats = options.pop("seats", drawn.seats)
    variant = game.read_variant(options)
    play = Play.deal(variant, seats, f"{random.random()}")
    return Lockstep(number, play, partial(kind, variant, seats, **drawn.theirs), random)
