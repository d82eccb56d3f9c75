"""Turning points: the moments of a match that a page lets people jump to.

A game says which of its announced events are turning points, the moments that a page lets people
jump to. Whoever watches is told of these events anyway, so a turning point reveals nothing to any
viewer. Failures of players, and annotations of what a seat did, are turning points of every game;
nobody has to name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import define, field, frozen

from arena.rules import GameError, Score, Seat, abbreviate, locate_definition
from arena.wires import Narrator, Phrases


class TurningPoints(Protocol):
    """Finds the turning points of a match among the events that are announced to everybody."""

    def tell(self, event: Any) -> str:
        """Return a short sentence on the turning point that an event is, or nothing.

        It may begin with `you`, as phrases do.

        The greeting comes first.
        """


def check_sentence(finder: TurningPoints, turn: object) -> None:
    """Raise GameError if a finder of turning points returns something else than a sentence."""
    if not isinstance(turn, str):
        where = locate_definition(type(finder).tell)
        raise GameError(f"{where} returns {abbreviate(turn)}; return a sentence, or an empty text")


@frozen
class Revelations:
    """The turning points of a game that names none: what was hidden comes to light."""

    reveals: tuple[type, ...]
    narrator: Narrator  # of a spectator

    def tell(self, event: Any) -> str:
        """Describe an event that reveals something."""
        lines = self.narrator.tell(event)
        return " ".join(lines) if isinstance(event, self.reveals) else ""


@define
class LeadTracker:
    """Finds changes of the lead: `update` takes the scores of seats or sides as they are known."""

    phrases: Phrases  #: about the players, or about the first of each side
    fewest: bool = False  #: whether the fewest points lead
    sides: Sequence[Sequence[Seat]] = ()  #: who lead together; none: each leads alone
    _leader: Seat | None = field(init=False, default=None)

    def update(self, scores: Sequence[Score]) -> str:
        """Return a sentence where another side than before leads alone, or nothing.

        >>> lead = LeadTracker(Phrases(["Ann", "Bob"], you=1))
        >>> lead.update((3, 0)), lead.update((3, 3)), lead.update((3, 8))
        ('', '', 'you take the lead from Ann, 8 to 3')
        """
        best = min(scores) if self.fewest else max(scores)
        leaders = [seat for seat, score in enumerate(scores) if score == best]
        if len(leaders) > 1 or leaders[0] == self._leader:
            return ""
        before, self._leader = self._leader, leaders[0]
        if before is None:
            return ""
        points = " to ".join(f"{float(scores[seat]):g}" for seat in (self._leader, before))
        ahead, behind = ([*self.sides[at]] if self.sides else [at] for at in (self._leader, before))
        takes = self.phrases.clause("take", *ahead)
        return f"{takes} the lead from {self.phrases.join(behind)}, {points}"
