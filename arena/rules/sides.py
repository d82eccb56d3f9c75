"""The sides of a match: who plays against whom. Each seat is one, unless the variant has teams.

A variant says which seats belong together by a method `teams(self, seats)`, which returns the
seats of each team:

    def teams(self, seats: int) -> Sequence[Sequence[Seat]]:
        return ((0, 2), (1, 3)) if seats == 4 else [[seat] for seat in range(seats)]

Partners share their place. If all seats are one team, the game is *cooperative*: nobody plays
against anybody.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache
from typing import Any, TypeVar

from arena.rules.errors import UserError, locate_definition
from arena.rules.table import Seat

T = TypeVar("T")
Sides = tuple[tuple[Seat, ...], ...]
"""The seats of each side, in the order of their first seats."""

PARTNER_MARK = "."
"""Stands between a name and a number where somebody sits in several seats; names have none."""


@cache
def seat_alone(seats: int) -> Sides:
    """Return the sides of a match in which everybody plays alone."""
    return tuple([(seat,) for seat in range(seats)])


def find_sides(variant: Any, seats: int) -> Sides:
    """Return the sides of a match with so many seats; raise UserError where teams are wrong."""
    teams = getattr(variant, "teams", None)
    if not callable(teams):
        return seat_alone(seats)
    sides = tuple(sorted(tuple(sorted(team)) for team in teams(seats)))
    if sorted(seat for side in sides for seat in side) != [*range(seats)] or () in sides:
        raise UserError(
            f"{locate_definition(teams)} returns {[*map(list, sides)]} for {seats} seats; put each"
            f" seat from 0 to {seats - 1} in exactly one team"
        )
    return sides


def has_teams(sides: Sides) -> bool:
    """Return whether some side has several seats."""
    return any(len(side) > 1 for side in sides)


def is_cooperative(sides: Sides) -> bool:
    """Return whether a match is cooperative: all play together, and nobody against anybody."""
    return len(sides) == 1


def is_decided(sides: Sides, failed: Container[Seat]) -> bool:
    """Return whether fewer than two sides have nobody who failed, so that a match need not go on.

    A side that plays against nobody plays on until one of it has failed.
    """
    sound = sum(not any(seat in failed for seat in side) for side in sides)
    return sound < min(2, len(sides))


def spread_over_seats(sides: Sides, values: Sequence[T]) -> tuple[T, ...]:
    """Return the value of each seat's side, in seat order.

    >>> spread_over_seats(((0, 2), (1, 3)), ["a", "b"])
    ('a', 'b', 'a', 'b')
    """
    by_seat = {seat: value for side, value in zip(sides, values, strict=True) for seat in side}
    return tuple([by_seat[seat] for seat in range(len(by_seat))])


def name_seats(sides: Sides, names: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each seat, given one for each side.

    >>> name_seats(((0, 2), (1, 3)), ["counter", "thrifty"])
    ('counter', 'thrifty', 'counter.2', 'thrifty.2')
    """
    numbers = {seat: number for side in sides for number, seat in enumerate(side, 1)}
    return tuple([
        name if numbers[seat] == 1 else f"{name}{PARTNER_MARK}{numbers[seat]}"
        for seat, name in enumerate(spread_over_seats(sides, names))
    ])  # fmt: skip


def get_player_name(name: str) -> str:
    """Return the name of who sits in a seat, without the number of the seat.

    >>> get_player_name("counter.2")
    'counter'
    """
    return name.partition(PARTNER_MARK)[0]
