"""The terms of a table: what is agreed for it beside its game and its bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, fields, frozen

from arena_web.play.sitting import Sitting


@frozen(kw_only=True)
class TableTerms:
    """The terms of a table, which its setup has and what is kept of it."""

    persons: tuple[str, ...]  #: what they are called
    clock: float | None = None  #: seconds a person has for each answer; None: all the time
    table: int | None = None  #: how many seats it has; None: the fewest that fit
    invites: bool = False  #: whether friends may still take seats of its bots
    daily: str = ""  #: the day whose deal it is, as ISO 8601 writes it; empty for other deals
    sitting: Sitting = field(factory=Sitting)  #: the matches of these players before

    @property
    def terms(self) -> dict[str, Any]:
        """The terms by their names, for another object with the same ones."""
        return {part.name: getattr(self, part.name) for part in fields(TableTerms)}

    def pack_terms(self) -> dict[str, Any]:
        """Return the terms as JSON."""
        return {**self.terms, "sitting": self.sitting.pack()}


def unpack_terms(packed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms by their names from JSON, which an earlier version may have written."""
    terms = {name: packed[name] for name in ("clock", "table")}
    terms |= {name: packed[name] for name in ("invites", "daily") if name in packed}
    if "sitting" in packed:
        terms["sitting"] = Sitting.unpack(packed["sitting"])
    return {**terms, "persons": tuple(packed["persons"])}
