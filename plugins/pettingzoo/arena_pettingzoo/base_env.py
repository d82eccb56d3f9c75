"""The base class of both environments: agents, spaces, deals, rendering."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle

from arena import Game, Greeting
from arena_pettingzoo.deal_seeds import DealSeeds
from arena_pettingzoo.episode import Episode
from arena_pettingzoo.game_setup import GameSetup
from arena_pettingzoo.rendering import TextLog
from arena_pettingzoo.seat_observer import Observation, SeatObserver

RENDER_MODES = ("human", "ansi")


class BaseEnv(EzPickle):
    """A game's agents, their spaces, and its rendering.

    A copy or an unpickled environment starts anew, with the same arguments.
    """

    episode: Episode

    def __init__(
        self, game: str | Game, seats: int | None, render_mode: str | None, **options: Any
    ) -> None:
        EzPickle.__init__(self, game, seats, render_mode, **options)
        if render_mode not in (None, *RENDER_MODES):
            known = ", ".join(RENDER_MODES)
            raise ValueError(f"unknown render mode {render_mode!r} (available: {known})")
        self.setup = GameSetup.of(game, seats, options)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{self.setup.game.name}_v0",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": False,  # `parallel_env` is for such games
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.setup.seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds = DealSeeds()
        self._log: TextLog | None = None
        self._make_spaces()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation and action mask (all 0 unless it is asked)."""
        return self.episode.observe(self._seats[agent])

    def render(self) -> str | None:
        """Return the game so far as text ("ansi"); with "human", it has been printed already."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: pass one to env()")
        if self.render_mode == "ansi" and self._log:
            return self._log.text
        return None

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""

    def _begin(self, seed: int | None) -> None:
        """Start a new game."""
        if self.render_mode:
            prints = self.render_mode == "human"
            self._log = TextLog(self.setup, self.possible_agents, prints=prints)
        self.episode = Episode(self.setup, self._seeds.next_seed(seed), self._log)
        self.agents = self.possible_agents[:]

    def _make_spaces(self) -> None:
        """Create each agent's spaces once, since they keep their own random generators."""
        game, variant, seats = self.setup.game, self.setup.variant, self.setup.seats
        view = SeatObserver(game, Greeting(game.name, 0, seats, variant, ""))
        figures, actions = view.observation().shape, len(view.actions)
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0, 1, figures, np.float32),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
