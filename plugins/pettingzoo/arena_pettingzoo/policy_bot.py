"""A policy as a player: it sees in a match what it saw in the environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Bot, Game, Greeting, Question
from arena_pettingzoo.actions import Mask
from arena_pettingzoo.game_setup import the_game
from arena_pettingzoo.seat_observer import Observation, Viewpoint

Weights = Sequence[float] | NDArray[Any]
Policy = Callable[[Observation], int | Weights]
"""Gives the number of an action; or a weight for each, by which the bot draws one."""


class PolicyBot(Bot):
    """Plays by a policy: `PolicyBot("kuhn", policy)`.

    Where the policy gives weights, actions that the mask forbids count as 0, and the draw
    comes from the bot's own seed, so that a match can be played again. Where all count as 0,
    each allowed action is as likely. The number of an action is taken as it is: the match
    judges it, and a number that is none crashes the bot.
    """

    def __init__(self, game: str | Game, policy: Policy) -> None:
        self._game = the_game(game)
        self._policy = policy

    def greet(self, greeting: Greeting) -> None:
        """Begin to listen."""
        super().greet(greeting)
        self._viewpoint = Viewpoint(self._game, greeting)

    def hear(self, event: Any) -> None:
        """Take note of an event."""
        self._viewpoint.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the answer that the policy's action means."""
        observation = self._viewpoint.observe(question)
        chosen = self._policy(observation)
        if np.ndim(chosen):
            chosen = self._draw(np.asarray(chosen, float), observation["action_mask"])
        return self._viewpoint.actions.answer(int(chosen))  # type: ignore[arg-type]  # one number

    def _draw(self, weights: NDArray[Any], mask: Mask) -> int:
        if weights.shape != mask.shape:
            raise ValueError(f"the policy gives {weights.size} weights for {mask.size} actions")
        allowed = weights * mask
        likely = allowed if allowed.any() else mask
        return self.random.choices(range(mask.size), likely.tolist())[0]
