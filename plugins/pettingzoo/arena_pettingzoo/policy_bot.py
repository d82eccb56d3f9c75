"""A policy as a bot: in a match it gets the same observations as in the environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Bot, Game, Greeting, Question
from arena_pettingzoo.encodings import Mask, Observation, SeatObserver, resolve_game

Weights = Sequence[float] | NDArray[Any]
Policy = Callable[[Observation], int | Weights]
"""Returns the number of an action, or a weight for each, by which the bot draws one."""


class PolicyBot(Bot):
    """A bot that plays by a policy: `PolicyBot("kuhn", policy)`.

    If the policy returns weights, those of illegal actions count as 0, and the draw comes from
    the bot's own seed, so that a match can be played again. If all weights are 0, all legal
    actions are equally likely. The number of an action is used as it is: an illegal one gets a
    verdict in the match, and one out of range crashes the bot.
    """

    def __init__(self, game: str | Game, policy: Policy) -> None:
        self._game = resolve_game(game)
        self._policy = policy

    def greet(self, greeting: Greeting) -> None:
        """Start to observe the match."""
        super().greet(greeting)
        self._observer = SeatObserver(self._game, greeting)

    def hear(self, event: Any) -> None:
        """Record an event."""
        self._observer.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the answer of the action that the policy chooses."""
        observation = self._observer.observe(question)
        chosen = self._policy(observation)
        if np.ndim(chosen):
            chosen = self._draw(np.asarray(chosen, float), observation["action_mask"])
        return self._observer.answer(int(chosen), question)  # type: ignore[arg-type]  # one number

    def _draw(self, weights: NDArray[Any], mask: Mask) -> int:
        if weights.shape != mask.shape:
            raise ValueError(
                f"the policy returned {weights.size} weights, but there are {mask.size} actions"
            )
        allowed = weights * mask
        likely = allowed if allowed.any() else mask
        return self.random.choices(range(mask.size), likely.tolist())[0]
