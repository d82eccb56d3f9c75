"""A game as an environment in which one agent acts after the other (AEC).

Agents that are asked at once act in the order of their seats. None sees the answer of another
before all have answered.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from arena import Game
from arena_pettingzoo.base_env import BaseEnv


class GameEnv(BaseEnv, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game after the other; an agent's reward is the change of its seat's score."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        BaseEnv.__init__(self, game, seats, render_mode, **options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game with this seed, or with the next one; `options` are ignored."""
        self._begin(seed)
        self._skip_agent_selection: str | None = None  # set by PettingZoo in the last game
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._look()

    def step(self, action: int | None) -> None:
        """Act for the agent whose turn it is; pass None when the game is over for it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: None is allowed only when the game is over")
        self.episode.act(self._seats[agent], int(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self.episode.gains(), strict=True))
        self._accumulate_rewards()
        self._look()

    def _look(self) -> None:
        """Update the agent to act next, and whether the game is over."""
        episode = self.episode
        self.terminations = dict.fromkeys(self.agents, episode.over)
        self.infos = {agent: episode.info(self._seats[agent]) for agent in self.agents}
        self.agent_selection = self.possible_agents[min(episode.play.pending, default=0)]
