"""What a search method offers: it asks for a generation and is told its scores, in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from arena.tuning.parameters import Settings

CANDIDATES = 16  # of a generation


class Optimiser(Protocol):
    """A search method. From one seed and the same scores it asks for the same candidates."""

    def ask(self) -> list[Settings]:
        """Return the next generation of candidates."""

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the mean score of each candidate, in the order of asking; more is better."""

    @property
    def mean(self) -> Settings:
        """The settings in the middle of the present distribution."""

    @property
    def spread(self) -> Mapping[str, float]:
        """The width of the distribution by parameter.

        For a number this is its standard deviation as a share of the range, for a choice the
        probability of all other choices.
        """
