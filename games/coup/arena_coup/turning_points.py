"""The turning points of a match of Coup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Phrases
from arena_coup.messages import Challenged, Lost, Out, Won
from arena_coup.phrases import describe_event


class CoupTurningPoints:
    """Finds challenges, lost influence, and who is out."""

    def __init__(self, names: Sequence[str]) -> None:
        self._phrases = Phrases(names)

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        if not isinstance(event, Challenged | Lost | Out | Won):
            return ""
        return " ".join(describe_event(self._phrases, event)).rstrip(".")
