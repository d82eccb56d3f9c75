"""Values and stages of any position of a solved game."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Protocol

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from arena import UserError
from arena_gops_solver import _native
from arena_gops_solver.layers import (
    Cards,
    Ground,
    Numbers,
    WinBounds,
    pattern_of,
    rank_of,
    row_of,
)
from arena_gops_solver.tables import Layer, Table


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
        """Return the place after these bids for this prize; a tie gives it to nobody."""
        gain = prize * ((mine > theirs) - (mine < theirs))
        return Place(
            without(self.mine, mine),
            without(self.theirs, theirs),
            without(self.prizes, prize),
            self.difference + gain,
        )

    def mirrored(self) -> Place:
        """Return the same as the other one sees it."""
        return Place(self.theirs, self.mine, self.prizes, -self.difference)


def listed(cards: Iterable[int]) -> str:
    """Return cards as they are typed, or a dash for none."""
    return " ".join(map(str, cards)) or "-"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _span(cards: Cards) -> str:
    whole = cards == tuple(range(1, len(cards) + 1))
    return f"1 to {len(cards)}" if whole else listed(cards)


def without(cards: Cards, card: int) -> Cards:
    """Return the cards without one."""
    return tuple(other for other in cards if other != card)


class Layers(Ground, Protocol):
    """A solved game's numbers: those of a table, or of what one match can still come to."""

    @property
    def hands(self) -> tuple[Cards, Cards]:
        """Return the hands from which all is solved."""

    def layer(self, held: int) -> Layer:
        """Return the numbers for so many cards a hand; raise UserError if they are damaged."""


@frozen
class Solution:
    """A solved game: the whole of it, or what one match can still come to."""

    table: Layers

    @property
    def points(self) -> bool:
        """Is the payoff the difference of points, and not its sign?"""
        return self.table.objective == "points"

    def value(self, place: Place) -> float:
        """Return what I can expect of the prizes left (points), or of the game (win).

        Raises UserError for what is no position of this game.
        """
        self._check(place)
        return self._value(place)

    def stage(self, place: Place, prize: int) -> NDArray[np.float64]:
        """Return the game for a prize turned up: rows are my bids, columns theirs, ascending."""
        self._check(place)
        if prize not in place.prizes:
            raise UserError(f"prize: {prize} is not among the prizes {listed(place.prizes)}")
        if len(place.prizes) == 1:
            after = place.after(prize, *place.mine, *place.theirs).difference
            return np.array([[after - place.difference if self.points else np.sign(after)]], float)
        return self._stage(place, prize)

    def _stage(self, place: Place, prize: int) -> NDArray[np.float64]:
        """Read the numbers for two cards a hand or more from the layer below."""
        held = len(place.prizes) - 1
        rank, sets = self._rank(without(place.prizes, prize)), comb(len(self.table.prizes), held)
        which = (pattern_of(place.mine, place.theirs), prize, rank, sets, self.table.kept(held))
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
        row = row_of(self.table.kept(len(place.mine)), place.mine, place.theirs)
        if row is None or (place.mine == place.theirs and place.difference < 0):
            return -self._value(place.mirrored())
        return self._read(place, row)

    def _read(self, place: Place, row: int) -> float:
        held = len(place.mine)
        layer = self.table.layer(held)
        at = row * comb(len(self.table.prizes), held) + self._rank(place.prizes)
        if layer.bounds is None:
            return float(layer.values[at])
        return _by_difference(layer.bounds, layer.values, at, place)

    def _rank(self, prizes: Cards) -> int:
        """Return the place of a set of prizes among those of its size."""
        return rank_of(self.table.prizes.index(prize) + 1 for prize in prizes)

    def _check(self, place: Place) -> None:
        """Refuse what is no position of this game."""
        held = len(place.prizes)
        mine, theirs = self.table.hands
        for name, some, among in (
            ("mine", place.mine, mine),
            ("theirs", place.theirs, theirs),
            ("prizes", place.prizes, self.table.prizes),
        ):
            if len(some) != held:
                counts = f"{_counted(len(some), 'card')}, but {_counted(held, 'prize')} left"
                raise UserError(f"{name}: {counts}")
            if len(set(some)) != held or not set(some) <= set(among):
                raise UserError(f"{name}: {listed(some)} are not different cards of {_span(among)}")
        gone = self.table.gone + sum(self.table.prizes) - sum(place.prizes)
        if not self.points and abs(place.difference) > gone:
            raise UserError(f"difference: {place.difference}, but only {gone} points are gone")


@frozen
class Solved(Solution):
    """A whole game, solved into a table."""

    table: Table


def _by_difference(bounds: WinBounds, values: Numbers, at: int, place: Place) -> float:
    """Find the number for the difference among those of its place."""
    lost = -int(bounds.held_to[at])
    if place.difference < lost:
        return -1.0
    if place.difference > -int(bounds.secured[at]):
        return 1.0
    first = max(lost, -int(bounds.gone[at % len(bounds.gone)]))
    return float(values[int(bounds.starts[at]) + place.difference - first])
