"""The observations of one seat: the same in an environment and in a match."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Game, Greeting, Question
from arena_pettingzoo import default_encoding
from arena_pettingzoo.actions import Actions

Observation = dict[str, NDArray[Any]]
"""`observation` (float32, from 0 to 1) and `action_mask` (int8), both one-dimensional."""


class SeatObserver:
    """Encodes the events of one seat from the greeting on, and knows its actions."""

    def __init__(self, game: Game, greeting: Greeting) -> None:
        make = game.encoder or partial(default_encoding.DefaultObservationEncoder, game)
        self._encoder = make(greeting)
        self.actions = Actions.of(game, greeting.variant, greeting.seats)

    def hear(self, event: Any) -> None:
        """Record an event that the seat was told."""
        self._encoder.tell(event)

    def observation(self) -> NDArray[np.float32]:
        """Return everything heard so far in the game's own encoding, or in the default one."""
        return np.asarray(self._encoder.observation(), np.float32)

    def observe(self, question: Question[Any] | None) -> Observation:
        """Return the seat's observation and the mask of its legal actions."""
        return {"observation": self.observation(), "action_mask": self.actions.mask(question)}
