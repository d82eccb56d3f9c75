"""What one seat knows, as a policy sees it: the same in an environment and in a match."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Game, Greeting, Question
from arena_pettingzoo import hashed
from arena_pettingzoo.actions import Actions

Observation = dict[str, NDArray[Any]]
"""`observation`, float32 from 0 to 1, and `action_mask`, int8: both of one dimension."""


class Viewpoint:
    """One seat's events from the greeting on, as figures, and its actions."""

    def __init__(self, game: Game, greeting: Greeting) -> None:
        self._game = game
        self._events: list[Any] = [greeting]
        self.actions = Actions.of(game, greeting.variant, greeting.seats)

    def hear(self, event: Any) -> None:
        """Take note of an event that the seat was told."""
        self._events.append(event)

    def figures(self) -> NDArray[np.float32]:
        """Give all that was heard by the game's own encoding, or else by a generic one."""
        encode = self._game.encode
        figures = encode(self._events) if encode else hashed.encode(self._game, self._events)
        return np.asarray(figures, np.float32)

    def observe(self, question: Question[Any] | None) -> Observation:
        """Give what the seat knows, and what it may do if it is asked."""
        return {"observation": self.figures(), "action_mask": self.actions.mask(question)}
