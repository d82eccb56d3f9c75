"""Positions of a solved game: their values, their stages, and the exact strategies."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Protocol

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from arena import UserError, format_count
from arena_gops_solver import _native
from arena_gops_solver.value_table import (
    Cards,
    Layer,
    SolveScope,
    compute_pattern,
    compute_rank,
    find_row,
)

Float64Array = NDArray[np.float64]


@frozen
class Solution:
    """The solution of a game or of a subgame."""

    table: Layers

    @property
    def points(self) -> bool:
        """Whether the payoff is the difference of points, and not its sign."""
        return self.table.objective == "points"

    def compute_value(self, place: SolverPosition) -> float:
        """Return the expected payoff of the prizes left (points), or of the game (win).

        Raises UserError for an impossible position.
        """
        self._check(place)
        return self._read_value(place)

    def build_stage(self, place: SolverPosition, prize: int) -> NDArray[np.float64]:
        """Return the game for a prize turned up: rows are my bids, columns theirs, ascending."""
        self._check(place)
        if prize not in place.prizes:
            raise UserError(f"prize: {prize} is not among the prizes {format_cards(place.prizes)}")
        if len(place.prizes) == 1:
            after = place.after(prize, *place.mine, *place.theirs).difference
            return np.array([[after - place.difference if self.points else np.sign(after)]], float)
        return self._read_stage(place, prize)

    def has(self, place: SolverPosition) -> bool:
        """Whether the position is one of this game: its cards are, and so many prizes are left."""
        sides = zip((place.mine, place.theirs), self.table.hands, strict=True)
        return set(place.prizes) <= set(self.table.prizes) and all(
            set(some) <= set(among) for some, among in sides
        )

    def _read_stage(self, place: SolverPosition, prize: int) -> NDArray[np.float64]:
        """Read the numbers for two cards a hand or more from the layer below."""
        held = len(place.prizes) - 1
        rank, sets = (
            self._compute_rank(remove_card(place.prizes, prize)),
            comb(len(self.table.prizes), held),
        )
        which = (
            compute_pattern(place.mine, place.theirs),
            prize,
            rank,
            sets,
            self.table.patterns(held),
        )
        layer = self.table.layer(held)
        if layer.bounds is None:
            return _native.build_points_stage(*which, layer.values)
        bounds = layer.bounds
        rows = (bounds.secured, bounds.held_to, bounds.row_starts)
        gone = bounds.points_before
        return _native.build_win_stage(*which, *rows, layer.values, place.difference, gone)

    def _read_value(self, place: SolverPosition) -> float:
        if not place.prizes:
            return 0.0 if self.points else float(np.sign(place.difference))
        if place.mine == place.theirs and (self.points or place.difference == 0):
            return 0.0  # the same for both, as at the start
        row = find_row(self.table.patterns(len(place.mine)), place.mine, place.theirs)
        if row is None or (place.mine == place.theirs and place.difference < 0):
            return -self._read_value(place.mirror())
        return self._read_number(place, row)

    def _read_number(self, place: SolverPosition, row: int) -> float:
        held = len(place.mine)
        layer = self.table.layer(held)
        rank = self._compute_rank(place.prizes)
        at = row * comb(len(self.table.prizes), held) + rank
        if layer.bounds is None:
            return layer.get_value(at)
        if place.difference < -int(layer.bounds.held_to[at]):
            return -1.0
        if place.difference > -int(layer.bounds.secured[at]):
            return 1.0
        return layer.get_value(layer.bounds.find_number(row, rank, place.difference))

    def _compute_rank(self, prizes: Cards) -> int:
        """Return the place of a set of prizes among those of its size."""
        return compute_rank(self.table.prizes.index(prize) + 1 for prize in prizes)

    def _check(self, place: SolverPosition) -> None:
        """Raise UserError unless this is a position of the game."""
        held = len(place.prizes)
        mine, theirs = self.table.hands
        for name, some, among in (
            ("mine", place.mine, mine),
            ("theirs", place.theirs, theirs),
            ("prizes", place.prizes, self.table.prizes),
        ):
            if len(some) != held:
                counts = (
                    f"{format_count(len(some), 'card')}, but {format_count(held, 'prize')} left"
                )
                raise UserError(f"{name}: {counts}")
            if len(set(some)) != held or not set(some) <= set(among):
                raise UserError(
                    f"{name}: {format_cards(some)} are not different cards of {_format_span(among)}"
                )
        gone = self.table.points_before + sum(self.table.prizes) - sum(place.prizes)
        if not self.points and abs(place.difference) > gone:
            raise UserError(
                f"difference: {place.difference}, but only {gone} points have been played for"
            )


class Layers(SolveScope, Protocol):
    """The numbers of a solved game: of a table, or of a subgame."""

    @property
    def hands(self) -> tuple[Cards, Cards]:
        """The hands at the start of the solved game."""

    def layer(self, held: int) -> Layer:
        """Return the layer for so many cards a hand; raise UserError if it is damaged."""


def _sort_cards(cards: Iterable[int]) -> Cards:
    return tuple(sorted(cards))


@frozen
class SolverPosition:
    """Two hands, the prizes left, and the lead in points, before a prize is turned up."""

    mine: Cards = field(converter=_sort_cards)
    theirs: Cards = field(converter=_sort_cards)
    prizes: Cards = field(converter=_sort_cards)
    difference: int = 0

    def after(self, prize: int, mine: int, theirs: int) -> SolverPosition:
        """Return the position after these bids for this prize; nobody gets it in a tie."""
        gain = prize * ((mine > theirs) - (mine < theirs))
        return SolverPosition(
            remove_card(self.mine, mine),
            remove_card(self.theirs, theirs),
            remove_card(self.prizes, prize),
            self.difference + gain,
        )

    def before(self, prize: int, mine: int, theirs: int) -> SolverPosition:
        """Return the position from which these bids for this prize led here."""
        gain = prize * ((mine > theirs) - (mine < theirs))
        return SolverPosition(
            (*self.mine, mine),
            (*self.theirs, theirs),
            (*self.prizes, prize),
            self.difference - gain,
        )

    def mirror(self) -> SolverPosition:
        """Return the same, seen by the other player."""
        return SolverPosition(self.theirs, self.mine, self.prizes, -self.difference)


def remove_card(cards: Cards, card: int) -> Cards:
    """Return the cards without one."""
    return tuple(other for other in cards if other != card)


def format_cards(cards: Iterable[int]) -> str:
    """Format cards as a user types them, or a dash for none."""
    return " ".join(map(str, cards)) or "-"


def _format_span(cards: Cards) -> str:
    whole = cards == tuple(range(1, len(cards) + 1))
    return f"1 to {len(cards)}" if whole else format_cards(cards)


@frozen(eq=False)
class Strategy:
    """An equilibrium of a matrix game, for the player of the rows."""

    value: float
    weights: Float64Array  # the probability of each row
    theirs: Float64Array  # the probability of each column, for the other
    worth: Float64Array  # the value of each row against the column player's equilibrium


def find_equilibrium(matrix: Float64Array) -> Strategy:
    """Return the value, strategies with the largest support, and the value of each row.

    They secure the value within 1e-9 of the largest entry; at most 15 rows and columns.

    A linear program gives an equilibrium at an arbitrary corner of the set of all equilibria. So
    one with the largest support is chosen: the mean of those corners that each give one bid the
    most weight. If the equilibrium is unique, this is it.
    """
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    value, weights = _native.find_widest_equilibrium(matrix)
    theirs = _native.find_widest_equilibrium(np.ascontiguousarray(-matrix.T))[1]
    return Strategy(value, weights, theirs, matrix @ theirs)
