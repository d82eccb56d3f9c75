"""The terms of a table: what is agreed for it beside its game and its bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from attrs import field, frozen

from arena_web.play.sitting import Sitting

PERSON = "player"
"""The default name of a person, and the name of its bot, as transcripts have it."""


@frozen(kw_only=True)
class TableTerms:
    """The terms of a table, which its setup has and what is kept of it."""

    persons: tuple[str, ...]  #: what they are called
    clock: float | None = None  #: seconds a person has for each answer; None: all the time
    table: int | None = None  #: how many seats it has; None: the fewest that fit
    invites: bool = False  #: whether friends may still take seats of its bots
    daily: str = ""  #: the day whose deal it is, as ISO 8601 writes it; empty for other deals
    sitting: Sitting = field(factory=Sitting)  #: the matches of these players before

    @classmethod
    def read(cls, packed: Mapping[str, Any]) -> Self:
        """Return the terms with this JSON, which an earlier version may have written."""
        return cls(
            persons=tuple(packed["persons"]),
            clock=packed["clock"],
            table=packed["table"],
            invites=packed.get("invites", False),
            daily=packed.get("daily", ""),
            sitting=Sitting.read(packed["sitting"]) if "sitting" in packed else Sitting(),
        )
