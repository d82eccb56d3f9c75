"""How a match ended for a seat."""

from __future__ import annotations

from enum import Enum


class Result(Enum):
    """How a match ended for a seat, by its lead over the best of the others."""

    WON = "won"
    LOST = "lost"
    TIED = "tied"

    @classmethod
    def of(cls, lead: float) -> Result:
        """Return the result of a seat that is so far ahead at the end."""
        if lead == 0:
            return cls.TIED
        return cls.WON if lead > 0 else cls.LOST

    def is_due_to(self, change: float) -> bool:
        """Whether a change of the lead, if it is one, went with the result."""
        return change != 0 and (self is Result.TIED or Result.of(change) is self)
