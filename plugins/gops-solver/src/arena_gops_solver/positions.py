"""Values and stages of any position of a solved game."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from arena import Refusal
from arena_gops_solver import _native
from arena_gops_solver.layers import (
    Numbers,
    WinBounds,
    kept_patterns,
    pattern_of,
    rank_of,
    row_of,
)
from arena_gops_solver.tables import Table

Cards = tuple[int, ...]


def _cards(cards: Iterable[int]) -> Cards:
    return tuple(sorted(cards))


@frozen
class Place:
    """Two hands, the prizes left, and how many points I am ahead, before a prize is turned up."""

    mine: Cards = field(converter=_cards)
    theirs: Cards = field(converter=_cards)
    prizes: Cards = field(converter=_cards)
    difference: int = 0

    def after(self, prize: int, mine: int, theirs: int) -> Place:
        """Give the place after these bids for this prize; a tie gives it to nobody."""
        gain = prize * ((mine > theirs) - (mine < theirs))
        return Place(
            without(self.mine, mine),
            without(self.theirs, theirs),
            without(self.prizes, prize),
            self.difference + gain,
        )

    def mirrored(self) -> Place:
        """Give the same as the other one sees it."""
        return Place(self.theirs, self.mine, self.prizes, -self.difference)


def listed(cards: Iterable[int]) -> str:
    """Give cards as they are typed, or a dash for none."""
    return " ".join(map(str, cards)) or "-"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def without(cards: Cards, card: int) -> Cards:
    """Give the cards without one."""
    return tuple(other for other in cards if other != card)


@frozen
class Solved:
    """A solved game."""

    table: Table

    @property
    def points(self) -> bool:
        """Is the payoff the difference of points, and not its sign?"""
        return self.table.kind.objective == "points"

    def value(self, place: Place) -> float:
        """Give what I can expect of the prizes left (points), or of the game (win).

        Raises Refusal for what is no position of this game.
        """
        self._check(place)
        return self._value(place)

    def stage(self, place: Place, prize: int) -> NDArray[np.float64]:
        """Give the game for a prize turned up: rows are my bids, columns theirs, ascending."""
        self._check(place)
        if prize not in place.prizes:
            raise Refusal(f"prize: {prize} is not among the prizes {listed(place.prizes)}")
        if len(place.prizes) == 1:
            after = place.after(prize, *place.mine, *place.theirs).difference
            return np.array([[after - place.difference if self.points else np.sign(after)]], float)
        return self._stage(place, prize)

    def _stage(self, place: Place, prize: int) -> NDArray[np.float64]:
        """Read the numbers for two cards a hand or more from the layer below."""
        held = len(place.prizes) - 1
        rank, sets = rank_of(without(place.prizes, prize)), comb(self.table.kind.cards, held)
        which = (pattern_of(place.mine, place.theirs), prize, rank, sets, self._kept(held))
        layer = self.table.layer(held)
        if layer.bounds is None:
            return _native.points_stage(*which, layer.values)
        rows = (layer.bounds.secured, layer.bounds.held_to, layer.bounds.starts)
        gone = int(layer.bounds.gone[rank])
        return _native.win_stage(*which, *rows, layer.values, place.difference, gone)

    def _value(self, place: Place) -> float:
        if not place.prizes:
            return 0.0 if self.points else float(np.sign(place.difference))
        if place.mine == place.theirs and (self.points or place.difference == 0):
            return 0.0  # the same for both, and so it is at the start
        row = row_of(self._kept(len(place.mine)), place.mine, place.theirs)
        if row is None or (place.mine == place.theirs and place.difference < 0):
            return -self._value(place.mirrored())
        return self._read(place, row)

    def _read(self, place: Place, row: int) -> float:
        held = len(place.mine)
        layer = self.table.layer(held)
        at = row * (self.table.kind.places(held) // len(self._kept(held))) + rank_of(place.prizes)
        if layer.bounds is None:
            return float(layer.values[at])
        return _by_difference(layer.bounds, layer.values, at, place)

    def _kept(self, held: int) -> NDArray[np.uint32]:
        return kept_patterns(self.table.kind.cards, held, self.table.kind.level)

    def _check(self, place: Place) -> None:
        """Refuse what is no position of this game."""
        cards = self.table.kind.cards
        held = len(place.prizes)
        for name, some in (
            ("mine", place.mine),
            ("theirs", place.theirs),
            ("prizes", place.prizes),
        ):
            if len(some) != held:
                counts = f"{_counted(len(some), 'card')}, but {_counted(held, 'prize')} left"
                raise Refusal(f"{name}: {counts}")
            if len(set(some)) != held or not all(1 <= card <= cards for card in some):
                raise Refusal(f"{name}: {listed(some)} are not different cards of 1 to {cards}")
        gone = cards * (cards + 1) // 2 - sum(place.prizes)
        if not self.points and abs(place.difference) > gone:
            raise Refusal(f"difference: {place.difference}, but only {gone} points are gone")


def _by_difference(bounds: WinBounds, values: Numbers, at: int, place: Place) -> float:
    """Find the number for the difference among those of its place."""
    lost = -int(bounds.held_to[at])
    if place.difference < lost:
        return -1.0
    if place.difference > -int(bounds.secured[at]):
        return 1.0
    first = max(lost, -int(bounds.gone[at % len(bounds.gone)]))
    return float(values[int(bounds.starts[at]) + place.difference - first])
