"""What both kinds of environment have in common: agents, spaces, deals, rendering."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle

from arena import Game, Greeting
from arena_pettingzoo.deal_seeds import Deals
from arena_pettingzoo.episode import Episode
from arena_pettingzoo.game_setup import Setup
from arena_pettingzoo.rendering import Account
from arena_pettingzoo.seat_observer import Observation, Viewpoint

RENDER_MODES = ("human", "ansi")


class BaseEnv(EzPickle):
    """A game's agents, their spaces, and what is shown of it.

    Copies and pickles begin anew: they are made again, of the same arguments.
    """

    episode: Episode

    def __init__(
        self, game: str | Game, seats: int | None, render_mode: str | None, **options: Any
    ) -> None:
        EzPickle.__init__(self, game, seats, render_mode, **options)
        if render_mode not in (None, *RENDER_MODES):
            known = ", ".join(RENDER_MODES)
            raise ValueError(f"unknown render mode {render_mode!r} (available: {known})")
        self.setup = Setup.of(game, seats, options)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{self.setup.game.name}_v0",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": False,  # where it is, there is `parallel_env`
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.setup.seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._deals = Deals()
        self._account: Account | None = None
        self._make_spaces()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation and action mask (all 0 while it is not asked)."""
        return self.episode.observe(self._seats[agent])

    def render(self) -> str | None:
        """Return the game so far in words ("ansi"); what happens was printed already ("human")."""
        if self.render_mode is None:
            gymnasium.logger.warn("there is nothing to render without a render_mode")
        if self.render_mode == "ansi" and self._account:
            return self._account.text
        return None

    def close(self) -> None:
        """Release nothing: there is nothing open."""

    def _begin(self, seed: int | None) -> None:
        """Deal."""
        if self.render_mode:
            prints = self.render_mode == "human"
            self._account = Account(self.setup, self.possible_agents, prints=prints)
        self.episode = Episode(self.setup, self._deals.seed(seed), self._account)
        self.agents = self.possible_agents[:]

    def _make_spaces(self) -> None:
        """Make each agent's spaces once: they keep their own generators."""
        game, variant, seats = self.setup.game, self.setup.variant, self.setup.seats
        view = Viewpoint(game, Greeting(game.name, 0, seats, variant, ""))
        figures, actions = view.observation().shape, len(view.actions)
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0, 1, figures, np.float32),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
