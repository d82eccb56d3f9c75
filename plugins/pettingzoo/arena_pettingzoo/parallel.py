"""A game in which everybody is asked at once as a parallel environment."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, TypeVar

from gymnasium.utils import EzPickle
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from arena import Game, Play
from arena_pettingzoo.base_env import BaseEnv
from arena_pettingzoo.game_setup import Setup
from arena_pettingzoo.seat_observer import Observation

T = TypeVar("T")
ByAgent = dict[str, T]
Infos = ByAgent[dict[str, Any]]
Step = tuple[
    ByAgent[Observation], ByAgent[float], ByAgent[bool], ByAgent[bool], ByAgent[dict[str, Any]]
]


class ParallelGameEnv(BaseEnv, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game after the other; an agent is rewarded with what its seat's score gains."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        render_mode: str | None = None,
        *,
        illegal_reward: float,
        **options: Any,
    ) -> None:
        BaseEnv.__init__(self, game, seats, render_mode, **options)
        EzPickle.__init__(self, game, seats, render_mode, illegal_reward=illegal_reward, **options)
        self._illegal_reward = illegal_reward
        check_all_at_once(self.setup)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent[Observation], Infos]:
        """Deal with this seed, or else the next one; there are no options to a deal."""
        self._begin(seed)
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, int]) -> Step:
        """Act for all agents; an action that is not allowed ends the game."""
        if not self.agents:
            raise ValueError("no game is going on: call reset() first")
        if missing := [agent for agent in self.agents if agent not in actions]:
            raise ValueError(f"there is no action for {', '.join(missing)}")
        check(self.setup.game, self.episode.play)
        chosen = {seat: int(actions[agent]) for agent, seat in self._seats.items()}
        illegal = [seat for seat, act in chosen.items() if not self.episode.allows(seat, act)]
        if illegal:
            EnvLogger.warn_on_illegal_move()
            rewards = [self._illegal_reward if seat in illegal else 0.0 for seat in chosen]
        else:
            for seat, act in chosen.items():
                self.episode.act(seat, act)
            rewards = self.episode.gains()
        return self._outcome(rewards, illegal=bool(illegal))

    def _outcome(self, rewards: list[float], *, illegal: bool) -> Step:
        """Return all that a step gives; after an illegal action as PettingZoo's own wrapper."""
        agents, over = self.possible_agents, illegal or self.episode.over
        self.agents = [] if over else agents[:]
        return (
            self._observations(),
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, illegal),
            self._infos(),
        )

    def _observations(self) -> ByAgent[Observation]:
        return {agent: self.observe(agent) for agent in self.possible_agents}

    def _infos(self) -> Infos:
        return {agent: self.episode.info(seat) for agent, seat in self._seats.items()}


def check_all_at_once(setup: Setup) -> None:
    """Play a game at random; raise ValueError where not everybody is asked each time."""
    play, draws = Play.deal(setup.variant, setup.seats, "0"), Random("0")
    while play.pending:
        check(setup.game, play)
        for seat, question in sorted(play.pending.items()):
            play.answer(seat, question.options.draw(draws))


def check(game: Game, play: Play) -> None:
    """Raise ValueError where not everybody is asked now, or where one answer ends the ask."""
    if play.passing is not None:
        raise ValueError(
            f"{game.name} asks for the first answer here, so it is no parallel environment; "
            "env() is for every game"
        )
    if len(play.pending) < play.seats:
        asked = [f"seat_{seat}: {type(each).__name__}" for seat, each in play.pending.items()]
        raise ValueError(
            f"{game.name} asks only some of the seats here ({', '.join(asked)}), "
            "so it is no parallel environment; env() is for every game"
        )
