"""The turning points of a match of Briscola."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import LeadTracker
from arena_briscola.messages import Trick
from arena_briscola.rules import count_sides


class BriscolaTurningPoints:
    """Finds changes of the lead, of players or of pairs, as the next trick begins."""

    def __init__(self, names: Sequence[str]) -> None:
        self._sides = count_sides(len(names))
        sides = [" and ".join(names[side :: self._sides]) for side in range(self._sides)]
        self._lead = LeadTracker(sides, several=self._sides < len(names))

    def tell(self, event: Any) -> str:
        """Return a sentence where the lead changes."""
        return self._lead.update(event.scores[: self._sides]) if isinstance(event, Trick) else ""
