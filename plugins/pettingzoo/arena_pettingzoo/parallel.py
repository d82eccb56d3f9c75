"""A game that always asks all seats at once, as a parallel environment."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, TypeVar

from gymnasium.utils import EzPickle
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from arena import Game, Play
from arena_pettingzoo.base_env import BaseEnv
from arena_pettingzoo.game_setup import GameSetup
from arena_pettingzoo.seat_observer import Observation

T = TypeVar("T")
ByAgent = dict[str, T]
Infos = ByAgent[dict[str, Any]]
Step = tuple[
    ByAgent[Observation], ByAgent[float], ByAgent[bool], ByAgent[bool], ByAgent[dict[str, Any]]
]


class ParallelGameEnv(BaseEnv, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game after the other; an agent's reward is the change of its seat's score."""

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
        require_simultaneous_game(self.setup)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent[Observation], Infos]:
        """Start a game with this seed, or with the next one; `options` are ignored."""
        self._begin(seed)
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, int]) -> Step:
        """Act for all agents; an illegal action ends the game."""
        if not self.agents:
            raise ValueError("no game is in progress: call reset() first")
        if missing := [agent for agent in self.agents if agent not in actions]:
            raise ValueError(f"actions are missing for {', '.join(missing)}")
        require_simultaneous_questions(self.setup.game, self.episode.play)
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
        """Return the result of a step; after an illegal action, as PettingZoo's wrapper does it."""
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


def require_simultaneous_game(setup: GameSetup) -> None:
    """Play a random game; raise ValueError unless it always asks all seats at once."""
    play, draws = Play.deal(setup.variant, setup.seats, "0"), Random("0")
    while play.pending:
        require_simultaneous_questions(setup.game, play)
        for seat, question in sorted(play.pending.items()):
            play.answer(seat, question.options.draw(draws))


def require_simultaneous_questions(game: Game, play: Play) -> None:
    """Raise ValueError unless all seats are asked now, and all answers count."""
    if play.passing is not None:
        raise ValueError(
            f"{game.name} cannot be a parallel environment: it takes the first answer of several "
            "players; use env()"
        )
    if len(play.pending) < play.seats:
        asked = [f"seat_{seat}: {type(each).__name__}" for seat, each in play.pending.items()]
        raise ValueError(
            f"{game.name} cannot be a parallel environment: it asks only some of the seats "
            f"({', '.join(asked)}); use env()"
        )
