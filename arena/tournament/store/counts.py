"""Counts of a tournament: its matches by their state, and the totals of each entrant."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen


@frozen
class MatchCounts:
    """The progress of a tournament, in matches."""

    planned: int
    stored: int  # finished, including void ones
    void: int  # of those that are stored
    cancelled: int  # planned but cancelled; not counted as stored

    @property
    def remaining(self) -> int:
        """The number of planned matches that are still to be played."""
        return self.planned - self.stored - self.cancelled


@frozen
class EntrantTotals:
    """The totals of an entrant, without void matches."""

    matches: int
    verdicts: Mapping[str, int]  # by kind
    seconds: float  # that it used in a match, on average
    slowest: float = 0.0  # seconds, in the match in which it used most
    many_games: bool = False  # whether a process of it plays match after match

    @property
    def fair_matches(self) -> int:
        """The number of matches in which it earned no verdict."""
        return self.matches - sum(self.verdicts.values())
