"""An observer that keeps the last turning point of a match."""

from __future__ import annotations

from typing import Any

from arena.plugins import Observer
from arena.records import Perspective
from arena.rules import Seat


class TurnCollector(Observer):
    """Keeps the last turning point of a match."""

    def __init__(self, eye: Perspective) -> None:
        self._eye = eye
        self.last = ""
        eye.begin()

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Look at an event."""
        self.last = self._eye.see_event(seat, event).turn or self.last
