"""A step of a match, as one viewer sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from arena.rules import Fault, Seat
from arena.wires import MarkedLine as Marked
from arena.wires import Zone, to_printable


@frozen
class FailureMark:
    """A failure of a player, which is marked on the timeline."""

    seat: Seat
    kind: Fault
    detail: str = ""  #: nothing where the eye may not know it

    @property
    def json(self) -> dict[str, Any]:
        """Return the mark as JSON."""
        return {"seat": self.seat, "kind": self.kind, "detail": to_printable(self.detail)}


@frozen
class MatchStep:
    """A step: everything that a viewer sees at once."""

    words: tuple[str, ...] = ()  #: lines of the view, cleaned; a `MarkedLine` stands out
    zones: Mapping[str, Zone | None] = {}  #: that are not as before; None for what is gone
    bad: FailureMark | None = None  #: who failed
    turn: str = ""  #: why this is a turning point of the match, if it is one
    line: int = 0  #: of the transcript, counted from 1

    @property
    def json(self) -> dict[str, Any]:
        """Return the step as JSON: `l` is the line, `t` the text, `z` the zones.

        `bad` is the failure, and `turn` the turning point. A word that stands out is a pair: why,
        and the text.
        """
        packed: dict[str, Any] = {"l": self.line}
        if self.words:
            packed["t"] = [
                [w.mark.value, str(w)] if isinstance(w, Marked) else w for w in self.words
            ]
        if self.zones:
            packed["z"] = {key: zone and zone.json for key, zone in self.zones.items()}
        if self.bad:
            packed["bad"] = self.bad.json
        if self.turn:
            packed["turn"] = to_printable(self.turn)
        return packed

    def __bool__(self) -> bool:
        """Whether the step shows anything."""
        return bool(self.words or self.zones or self.bad or self.turn)


EMPTY_STEP = MatchStep()
