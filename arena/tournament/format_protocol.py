"""What a format of tournaments is: from the field and the past it plans the next deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import ClassVar, Protocol, runtime_checkable

from attrs import frozen

from arena.tournament.deals import Deal, PastMatches
from arena.tournament.entries import Id


@frozen
class FormatTerms:
    """The settings of a tournament file that every format gets."""

    entrants_per_match: int  #: an entrant has a seat, or in a game of teams all of a side
    #: the number to play with the initial entrants; None: no limit
    matches: int | None = None
    initial_entrants: int = 2  #: the number of entrants before the first deal
    duplicate: bool = False  #: whether each deal is played in every rotation
    #: entrants that keep a folder; since they may remember a deal, they play each once
    folder_keepers: frozenset[Id] = frozenset()
    matches_per_version: int | None = None  #: on a hill; None elsewhere

    @property
    def is_pairwise(self) -> bool:
        """Whether two entrants meet in each match."""
        return self.entrants_per_match == 2  # noqa: PLR2004  # two make a pair

    def count_rotations(self, seats: Iterable[Id]) -> int:
        """Return the number of times that a deal is played with these entrants seated."""
        return (
            self.entrants_per_match
            if self.duplicate and self.folder_keepers.isdisjoint(seats)
            else 1
        )

    @property
    def share(self) -> int | None:
        """The number of matches that each entrant may play, whenever it entered; None: unlimited.

        Late entrants add their shares to the requested number.
        """
        if self.matches is None:
            return self.matches_per_version
        return -(-self.matches * self.entrants_per_match // self.initial_entrants)


class Format(Protocol):
    """A tournament format: a pure function from the field, the past and a random generator.

    Formats are frozen attrs classes whose fields are their parameters, as a file writes them:
    `swiss:rounds=7`.
    """

    adaptive: ClassVar[bool]
    """Whether the format depends on results; if so, it plans only when all matches are over."""
    open: ClassVar[bool]
    """Whether the format can handle a field that keeps changing, as on a hill."""
    needs_opponents: ClassVar[bool]
    """Whether a match of one entrant, as in a cooperative game, makes no sense in the format."""

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
