"""The anchor of ratings: an entrant with a fixed one."""

from __future__ import annotations

import re
from contextlib import suppress
from math import isfinite

from attrs import frozen

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
        """Write it as it is read, with all digits.

        >>> str(Anchor("random", 1234.5678)), str(Anchor("random", 1500.0))
        ('random = 1234.5678', 'random = 1500')
        """
        return f"{self.name} = {str(self.rating).removesuffix('.0')}"
