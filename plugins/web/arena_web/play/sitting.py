"""A sitting: matches of the same players one after the other, whose scores are summed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from attrs import field, frozen

from arena import Count


@frozen
class Sitting:
    """The matches that the players of a table have played so far.

    Players are known by the names that people read, which the bots of one kind have by their seats.

    >>> sitting = Sitting().add({"Ann": 1, "Easy bot": -1}).add({"Ann": 2, "Easy bot": -2})
    >>> sitting.describe(Count("chip"))
    {'Ann': '+3 chips', 'Easy bot': '-3 chips'}
    >>> Sitting().add({"Ann": -18, "Bob": None}).describe(Count(fewest=True))
    {'Ann': '18 points', 'Bob': '0 points'}
    """

    matches: int = 0
    scores: Mapping[str, float] = field(factory=dict)  #: in all, by player

    def add(self, scores: Mapping[str, float | None]) -> Self:
        """Return the sitting after a match with these scores; None counts for nothing.

        Other players begin another one.
        """
        before = self if self.scores.keys() == scores.keys() else type(self)()
        sums = {name: before.scores.get(name, 0) + (score or 0) for name, score in scores.items()}
        return type(self)(before.matches + 1, sums)

    def describe(self, count: Count) -> dict[str, str]:
        """Return the scores of the players in words, signed where some have less than nothing."""
        numbers = {name: count.of(score) for name, score in self.scores.items()}
        is_signed = min(numbers.values(), default=0) < 0
        words = dict[str, str]()
        for name, score in self.scores.items():
            plus = "+" if is_signed and numbers[name] > 0 else ""
            words[name] = plus + count.describe(score)
        return words

    @classmethod
    def read(cls, packed: Mapping[str, Any]) -> Self:
        """Return the sitting with this JSON."""
        return cls(packed["matches"], packed["scores"])
