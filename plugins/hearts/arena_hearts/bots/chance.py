"""A bot that plays anything."""

from __future__ import annotations

from typing import Any

from arena import Bot, Question


class Chance(Bot):
    """Passes and plays any cards that it may."""

    def choose(self, question: Question[Any]) -> Any:
        """Draw."""
        return question.options.draw(self.random)
