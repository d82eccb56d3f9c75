"""The comparison of our rules with OpenSpiel's, for `arena-openspiel compare`.

It plays random games, each of a variant that both support, unless options name one.
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
from arena_openspiel.lockstep import Lockstep, RuleDifference


@frozen
class ComparisonReport:
    """The numbers of games and decisions compared, and all differences found."""

    game: str
    games: int
    deals: int
    decisions: int
    differences: Sequence[RuleDifference]
    explained: Mapping[str, str]

    @property
    def holds(self) -> bool:
        """Whether all differences are explained."""
        return all(difference.kind in self.explained for difference in self.differences)

    def lines(self) -> Iterator[str]:
        """Yield the report: for each kind of difference its count, first place and explanation."""
        yield (
            f"{self.game}: {self.games} games, {self.deals} deals, {self.decisions} decisions; "
            f"{'differences:' if self.differences else 'no differences'}"
        )
        for kind, count in Counter(difference.kind for difference in self.differences).items():
            first = next(difference for difference in self.differences if difference.kind == kind)
            yield f"  {kind}, in {count} games; first in {first}"
            yield f"    {self.explained.get(kind, 'not explained')}"


def compare(
    game: Game, kind: type[Bridge], games: int, seed: str, **given: Any
) -> ComparisonReport:
    """Play this number of games by both rules and return the report.

    `given` are options of the variant, and `seats`. Other options are drawn for each game from
    what OpenSpiel supports. Raises ValueError if there is no such variant.
    """
    deals, decisions, differences = 0, 0, list[RuleDifference]()
    for number in range(1, games + 1):
        game_pair = deal_lockstep(game, kind, number, Random(f"{seed}/{number}"), given)
        differences += game_pair.run().values()
        deals, decisions = deals + game_pair.deals, decisions + game_pair.move
    return ComparisonReport(game.name, games, deals, decisions, differences, kind.explained)


def deal_lockstep(
    game: Game, kind: type[Bridge], number: int, random: Random, given: Mapping[str, Any]
) -> Lockstep:
    """Deal one game to compare."""
    drawn = kind.sample_variant(random)
    options = {**drawn.options, **given}
    seats = options.pop("seats", drawn.seats)
    variant = game.read_variant(options)
    play = Play.deal(variant, seats, f"{random.random()}")
    return Lockstep(number, play, partial(kind, variant, seats, **drawn.theirs), random)
