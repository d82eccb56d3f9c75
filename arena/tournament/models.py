"""Data of tournaments: deals and formats, entrants with their versions, results.

A deal is one shuffle with an entrant at each seat. To cancel luck, as in duplicate bridge, it is
played as often as there are seats, with everybody moving by one seat each time; each of these
rotations is a match. Deals are numbered through a tournament from 0; a deal and its rotation are
a match's key, from which its seeds are derived.

In a game of teams an entrant plays all seats of a team, and what is said here of seats is true of
sides (`arena/rules/sides.py`): each has one entrant, one place and one score, and sides rotate.
Where nobody plays against anybody, a match has one entrant. Then each rotation of a deal is the
match of one of its entrants: all play the same cards, so that they can be compared.

Entrants are identified by an `Id`, `NAME@VERSION`: a new version is a new entrant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import combinations
from math import isfinite
from random import Random
from typing import Any, Protocol, runtime_checkable

from attrs import Factory, define, evolve, field, frozen

from arena.rules import UserError
from arena.sandbox import AUTO, TRUSTED, Sandbox

SUFFIX = ".toml"
"""Of a tournament's file."""

Id = str
Pair = tuple[Id, Id]


def format_id(name: str, version: str) -> Id:
    """Return the id that schedules use for an entrant.

    >>> format_id("mine", "3fa2b1c09d7e")
    'mine@3fa2b1c09d7e'
    """
    return f"{name}@{version}"


def get_name(entrant: Id) -> str:
    """Return an entrant's name, without its version.

    >>> get_name("mine@3fa2b1c09d7e")
    'mine'
    """
    return entrant.rpartition("@")[0]


def get_version(entrant: Id) -> str:
    """Return an entrant's version.

    >>> get_version("mine@3fa2b1c09d7e")
    '3fa2b1c09d7e'
    """
    return entrant.rpartition("@")[2]


def hide_name(entrant: Id, aliases: Mapping[str, str]) -> Id:
    """Return an entrant's id with the alias of its name, if that is hidden.

    >>> hide_name("mine@3fa2b1c09d7e", {"mine": "bot_7"})
    'bot_7@3fa2b1c09d7e'
    """
    name = get_name(entrant)
    return format_id(aliases.get(name, name), get_version(entrant))


KEY_PATTERN = re.compile(r"([0-9]{1,15})(?:\.([0-9]{0,15}))?")


def parse_match_key(text: str) -> tuple[int, int]:
    """Return the deal and the rotation of a match; without a rotation, the first; raise UserError.

    >>> parse_match_key("17.1"), parse_match_key("17")
    ((17, 1), (17, 0))
    """
    key = KEY_PATTERN.fullmatch(text)
    if not key:
        raise UserError(f"{text!r} is not the key of a match, such as 17.0")
    return int(key[1]), int(key[2] or 0)


VERSION_JOINT = "-"
"""Stands between the versions of a team's bots in the version of the team."""


def shorten_version(version: str) -> str:
    """Return a version with which people can tell it from others.

    >>> shorten_version("3fa2b1c09d7e-0123456789ab")
    '3fa2b1-012345'
    """
    return VERSION_JOINT.join([part[:6] for part in version.split(VERSION_JOINT)])


ANCHOR = re.compile(r"(.+?)\s*=\s*(\S+)")


@frozen
class Anchor:
    """An entrant with a fixed rating, to which the ratings of all others are relative."""

    name: str  #: its name; of several versions, the one that plays
    rating: float  #: in Elo points

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Read `NAME = RATING`; raise ValueError.

        >>> Anchor.parse("random = 0")
        Anchor(name='random', rating=0.0)
        """
        match = ANCHOR.fullmatch(text.strip())
        with suppress(ValueError):
            if match and isfinite(rating := float(match[2])):
                return cls(match[1], rating)
        raise ValueError(f"{text!r} is not NAME = RATING, such as 'random = 0'")

    def __str__(self) -> str:
        """Write it as it is read."""
        return f"{self.name} = {self.rating:g}"


@frozen
class FormatTerms:
    """The settings of a tournament file that every format gets."""

    seats_per_match: int  # or sides, in a game of teams: the number of entrants
    matches: int | None = None  # the number to play with the first entrants; None: no limit
    first: int = 2  # the number of entrants before the first deal
    duplicate: bool = False  # whether each deal is played in every rotation
    keepers: frozenset[Id] = frozenset()  # keep a folder, so they play each deal once
    each: int | None = None  # on a hill: the matches of every version

    def count_rotations(self, seats: Iterable[Id]) -> int:
        """Return the number of times that a deal is played with these entrants seated."""
        return self.seats_per_match if self.duplicate and self.keepers.isdisjoint(seats) else 1

    @property
    def share(self) -> int | None:
        """The number of matches that each entrant may play, whenever it entered; None: unlimited.

        Late entrants add their shares to the requested number.
        """
        if self.matches is None:
            return self.each
        return -(-self.matches * self.seats_per_match // self.first)


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


def rotate_seats(seats: tuple[Id, ...], rotation: int) -> tuple[Id, ...]:
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
    plays: Counter[Id] = Factory(Counter)
    met: Counter[Pair] = Factory(Counter)  # pairs at one table, see `make_pair`
    groups: Counter[tuple[Id, ...]] = Factory(Counter)  # complete tables, sorted
    sat: Counter[tuple[Id, int]] = Factory(Counter)  # entrants with their seats
    beside: Counter[Pair] = Factory(Counter)  # neighbours round the table, in order
    results: tuple[PlayedMatch, ...] = ()

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
            self.met[make_pair(entrant, other)] += len(played)
        for entrant, other in zip(seats, rotate_seats(seats, len(seats) - 1), strict=True):
            self.beside[entrant, other] += len(played)
        for rotation in played:
            for seat, entrant in enumerate(deal.rotate(rotation)):
                self.sat[entrant, seat] += 1

    def count_alone(self, entrant: Id) -> None:
        """Count a match that an entrant plays alone."""
        self.matches += 1
        self.plays[entrant] += 1
        self.groups[entrant,] += 1
        self.sat[entrant, 0] += 1


def make_pair(entrant: Id, other: Id) -> Pair:
    """Return a pair in a fixed order, as counts use it."""
    return (entrant, other) if entrant < other else (other, entrant)


class Format(Protocol):
    """A tournament format: a pure function from the field, the past and a random generator.

    Formats are frozen attrs classes whose fields are their parameters, as a file writes them:
    `swiss:rounds=7`.
    """

    @property
    def adaptive(self) -> bool:
        """Whether the format depends on results; if so, it plans only when all matches are over."""

    @property
    def open(self) -> bool:
        """Whether the format can handle a field that keeps changing, as on a hill."""

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if this format cannot run such a tournament."""

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return the deals to play next, in order; none when the tournament is over.

        Their numbers continue those of the past; a `SeatingPlanner` sees to that.

        `field` lists the active entrants in the order of entry; those withdrawn, replaced or set
        aside appear only in the past. `draw` is seeded with the tournament's seed and the number of
        deals so far.
        """


@frozen
class FormatStanding:
    """The place of an entrant in a format's own ranking."""

    place: int  #: 1 is the best; equals share the better one
    entrant: Id  #: whose place it is
    result: str  #: such as its points, or the round of its elimination


@runtime_checkable
class RankedFormat(Format, Protocol):
    """A format that ranks entrants itself, from the results by which it draws the next round."""

    def ranking(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[FormatStanding]:
        """Return the place of each entrant that it ranks, the best first."""


class State(StrEnum):
    """The state of an entrant."""

    ACTIVE = "active"  #: takes part
    REPLACED = "replaced"  #: by a newer version of the same name
    WITHDRAWN = "withdrawn"  #: by its owner or the host
    ASIDE = "set aside"  #: it failed repeatedly
    UNFIT = "unfit"  #: it did not build, start or pass its check
    WAITING = "waiting"  #: for a place: it was the lowest of a hill that exceeded its size
    ARCHIVED = "archived"  #: it left, and its matches were moved to a file

    @property
    def is_current(self) -> bool:
        """Whether it plays, or waits for a place on a hill, and so is what its name stands for."""
        return self in (State.ACTIVE, State.WAITING)


@frozen
class Containment:
    """How far an entrant is trusted, and what its programs may use."""

    untrusted: bool = False  #: whether the author is unknown to the host
    #: one of `arena.sandbox.CHOICES`; None: the tournament's setting
    sandbox: str | None = None
    #: override the tournament's limits
    resources: Mapping[str, Any] = field(factory=dict, hash=False)

    def choose_sandbox(self, usual: str | None) -> str:
        """Return the sandbox to use, given the tournament's setting."""
        return self.sandbox or usual or (AUTO if self.untrusted else TRUSTED)


KNOWN = Containment()
"""The containment of an entrant whose author the host knows."""


@frozen
class Entry:
    """One version of an entrant."""

    name: str  #: the name of the bot, which protocols carry
    version: str  #: the hash of its contents, in hexadecimal digits
    bot: str  #: as given by the user
    keeps: bool = False  #: whether its folder stays between its matches
    containment: Containment = KNOWN  #: its trust and limits
    state: State = State.ACTIVE  #: its present state
    why: str = ""  #: the reason why it is not active
    #: of its programs in a run, found when it is made ready; None if it is trusted
    sandbox: Sandbox | None = None
    title: str = ""  #: what tables and pages call it; empty: its name

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return format_id(self.name, self.version)

    @property
    def label(self) -> str:
        """What tables and pages call it: its title, or else its name."""
        return self.title or self.name

    @property
    def members(self) -> tuple[Entry, ...]:
        """The bots of a team, each with a version of its own; of others the entrant itself."""
        from arena.host import split_team  # a large import, which reading results does not need

        bots = split_team(self.bot)
        versions = self.version.split(VERSION_JOINT)
        return tuple([
            evolve(self, bot=bot, version=version)
            for bot, version in zip(bots, versions, strict=True)
        ]) if bots else (self,)  # fmt: skip


class VoidCause(StrEnum):
    """The cause of a void match."""

    HOST = "host"  #: the machine or the arena failed
    WORKER = "worker"  #: its worker died, and died again: through the host, or through an entrant
    GAME = "game"  #: the rules or a plugin failed, which they would do again
