"""Deals: which are planned, in which rotations they are played, and how often entrants met.

A deal is one shuffle with an entrant at each seat. To cancel luck, as in duplicate bridge, it is
played as often as there are seats, with everybody moving by one seat each time; each of these
rotations is a match. Deals are numbered through a tournament from 0; a deal and its rotation are
a match's key, from which its seeds are derived.

In a game of teams an entrant plays all seats of a team, and what is said here of seats is true of
sides: each has one entrant, one place and one score, and sides rotate. In a cooperative game a
match has one entrant. Then each rotation of a deal is the match of one of its entrants: all play
the same cards, so that they can be compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

from attrs import Factory, define, field, frozen, setters

from arena.rules import UserError
from arena.tournament.entries import Id

T = TypeVar("T")
Pair = tuple[Id, Id]
Key: TypeAlias = tuple[int, int]
"""The key of a match: its deal, and the rotation of that."""
KEY_PATTERN = re.compile(r"([0-9]{1,15})(?:\.([0-9]{0,15}))?")


def parse_match_key(text: str) -> Key:
    """Return the deal and the rotation of a match; without a rotation, the first; raise UserError.

    >>> parse_match_key("17.1"), parse_match_key("17")
    ((17, 1), (17, 0))
    """
    key = KEY_PATTERN.fullmatch(text)
    if not key:
        raise UserError(f"{text!r} is not the key of a match, such as 17.0")
    return int(key[1]), int(key[2] or 0)


def format_match_key(key: Key) -> str:
    """Return the key of a match as people and files have it: the deal, a full stop, the rotation.

    >>> format_match_key((17, 1))
    '17.1'
    """
    deal, rotation = key
    return f"{deal}.{rotation}"


@frozen
class Deal:
    """A deal that has been planned."""

    number: int
    seats: tuple[Id, ...]  # in rotation 0
    rotations: int
    stage: str = ""  # for people, such as `final`
    state: tuple[Any, ...] = ()  # for the format, which finds it with the results: JSON values
    alone: bool = False  # whether each entrant plays it alone, in the rotation of its number

    def rotate(self, rotation: int) -> tuple[Id, ...]:
        """Return the entrants in the order of their seats after `rotation` moves by one seat."""
        return (
            self.seats[rotation : rotation + 1]
            if self.alone
            else rotate_seats(self.seats, rotation)
        )


def rotate_seats(seats: tuple[T, ...], rotation: int) -> tuple[T, ...]:
    """Return the seats after this number of rotations.

    >>> rotate_seats(("a", "b", "c"), 1)
    ('c', 'a', 'b')
    """
    cut = -rotation % len(seats)
    return seats[cut:] + seats[:cut]


@frozen
class PlayedMatch:
    """A planned match that is over."""

    deal: Deal
    rotation: int
    places: tuple[int, ...] | None  # by seat, 1 the best, equals share the better; None: void

    @property
    def seats(self) -> tuple[Id, ...]:
        """The entrants in the order of their seats."""
        return self.deal.rotate(self.rotation)


@define
class PastMatches:
    """The matches planned so far, as counts, and their results.

    `results` has every match planned so far, in the order of keys, for adaptive formats; for others
    it is empty, so that they cannot depend on which matches happen to be finished.
    """

    deals: int = 0
    matches: int = 0
    plays: Counter[Id] = Factory(Counter)  # matches of each entrant
    meetings: Counter[Pair] = Factory(Counter)  # at one table, of pairs as `make_pair` has them
    groups: Counter[tuple[Id, ...]] = Factory(Counter)  # complete tables, sorted
    seatings: Counter[tuple[Id, int]] = Factory(Counter)  # of each entrant in each seat
    neighbours: Counter[Pair] = Factory(Counter)  # of an entrant and the one right behind it
    results: tuple[PlayedMatch, ...] = field(default=(), on_setattr=setters.frozen)

    def count_deal(self, deal: Deal, cancelled: Collection[int] = ()) -> None:
        """Count a deal, except for its cancelled rotations."""
        seats = deal.seats
        played = [number for number in range(deal.rotations) if number not in cancelled]
        self.deals += 1
        if deal.alone:
            for number in played:
                self.count_alone(seats[number])
            return
        if not played:
            return
        self.matches += len(played)
        self.groups[tuple(sorted(seats))] += len(played)
        for entrant in seats:
            self.plays[entrant] += len(played)
        for entrant, other in combinations(seats, 2):
            self.meetings[make_pair(entrant, other)] += len(played)
        for entrant, other in zip(seats, rotate_seats(seats, len(seats) - 1), strict=True):
            self.neighbours[entrant, other] += len(played)
        for rotation in played:
            for seat, entrant in enumerate(deal.rotate(rotation)):
                self.seatings[entrant, seat] += 1

    def count_alone(self, entrant: Id) -> None:
        """Count a match that an entrant plays alone."""
        self.matches += 1
        self.plays[entrant] += 1
        self.groups[entrant,] += 1
        self.seatings[entrant, 0] += 1


def make_pair(entrant: Id, other: Id) -> Pair:
    """Return a pair in a fixed order, as counts use it."""
    return (entrant, other) if entrant < other else (other, entrant)
