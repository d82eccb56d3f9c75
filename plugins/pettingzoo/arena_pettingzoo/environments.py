"""A game as an environment: one agent after the other (AEC), or all at once (parallel)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import index
from random import Random
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseWrapper, wrappers
from pettingzoo.utils.env_logger import EnvLogger

from arena import (
    AnswerEvent,
    Game,
    Greeting,
    IllegalAnswerError,
    Play,
    PrivateEvent,
    Question,
    Score,
    Seat,
)
from arena_pettingzoo.encodings import GameSetup, Observation, SeatObserver

RENDER_MODES = ("human", "ansi")
ILLEGAL_REWARD = -1000.0
"""Lower than any score in the bundled games: an illegal action must never pay."""
T = TypeVar("T")
ByAgent = dict[str, T]
Infos = ByAgent[dict[str, Any]]
Step = tuple[ByAgent[Observation], ByAgent[float], ByAgent[bool], ByAgent[bool], Infos]


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


class GameEnv(BaseEnv, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game after the other; an agent's reward is the change of its seat's score.

    Agents that are asked at once act in the order of their seats. None sees the answer of another
    before all have answered.
    """

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
        self.episode.act(self._seats[agent], read_action(agent, action, self.action_space(agent)))
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


class CheckedActions(BaseWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """Refuses what is no action at all, and says what is; an illegal action ends the game."""

    def step(self, action: int | None) -> None:
        """Act for the agent whose turn it is; raise ValueError for what is no action."""
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            read_action(agent, action, self.action_space(agent))
        super().step(action)


def read_action(agent: str, action: object, space: spaces.Discrete) -> int:
    """Return an action as a whole number; raise ValueError if there is no such action."""
    if action is None:
        raise ValueError(
            f"{agent} has to act, by a number from 0 to {space.n - 1}: None is allowed only when"
            " the game is over"
        )
    with suppress(TypeError):
        number = index(action)  # type: ignore[arg-type]  # what has none raises TypeError
        if not isinstance(action, (bool, np.bool_)) and 0 <= number < space.n:
            return number
    raise ValueError(
        f"{agent}: {action!r} is no action; allowed is a number from 0 to {space.n - 1}"
    )


class ParallelGameEnv(BaseEnv, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game after the other, which always asks all seats; rewards are as in `GameEnv`."""

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
        chosen = {
            seat: read_action(agent, actions[agent], self.action_space(agent))
            for agent, seat in self._seats.items()
        }
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


class Episode:
    """One game: its questions, the observations of the seats, and the changes of the scores."""

    def __init__(self, setup: GameSetup, seed: str, log: TextLog | None) -> None:
        self._setup, self._log = setup, log
        self.play = Play.deal(setup.variant, setup.seats, seed)
        self._observers = [
            SeatObserver(
                setup.game, Greeting(setup.game.name, seat, setup.seats, setup.variant, "")
            )
            for seat in range(setup.seats)
        ]
        self._scores: Sequence[Score] = (0,) * setup.seats
        self._pass_on()

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.play.over

    def observe(self, seat: Seat) -> Observation:
        """Return a seat's observation and the mask of its legal actions."""
        return self._observers[seat].observe(self.play.pending.get(seat))

    def info(self, seat: Seat) -> dict[str, Any]:
        """Return the name of the question to a seat, if there is one, as `question`."""
        question = self.play.pending.get(seat)
        return {} if question is None else {"question": type(question).__name__}

    def allows(self, seat: Seat, action: int) -> bool:
        """Whether an action of this seat is legal now."""
        mask = self._observers[seat].mask(self.play.pending.get(seat))
        return 0 <= action < mask.size and bool(mask[action])

    def act(self, seat: Seat, action: int) -> None:
        """Answer for a seat; raise ValueError if the action is not legal."""
        question, closed = self.play.pending[seat], self.play.closed
        try:
            answer = self.play.answer(seat, self._observers[seat].answer(action, question))
        except IllegalAnswerError as problem:
            raise ValueError(f"seat_{seat}: action {action} is not allowed: {problem}") from None
        if self._log:
            self._log.record_answer(seat, question, answer, last=self.play.closed != closed)
        self._pass_on()

    def gains(self) -> list[float]:
        """Return the change of each seat's score since the last call.

        At first all scores count as 0, so that the gains add up to the final scores.
        """
        before, self._scores = self._scores, self.play.scores
        return [float(now - had) for now, had in zip(self._scores, before, strict=True)]

    def _pass_on(self) -> None:
        """Pass each new event on to the seats that may know it."""
        for to, event in self.play.drain():
            for observer in self._observers if to is None else (self._observers[to],):
                observer.hear(event)
            if self._log:
                self._log.record_event(to, event)


class TextLog:
    """The lines of one game so far; simultaneous answers are shown once all are known."""

    def __init__(self, setup: GameSetup, names: list[str], *, prints: bool) -> None:
        self._narrator = setup.game.build_narrator(None, names)
        self._prints = prints
        self._lines: list[str] = []
        self._said: list[AnswerEvent] = []
        self._show(Greeting(setup.game.name, 0, setup.seats, setup.variant, ""))

    @property
    def text(self) -> str:
        """All lines so far."""
        return "\n".join(self._lines)

    def record_event(self, seat: Seat | None, event: Any) -> None:
        """Record an event, private if it has a seat."""
        self._show(event if seat is None else PrivateEvent(seat, event))

    def record_answer(
        self, seat: Seat, question: Question[Any], answer: Any, *, last: bool
    ) -> None:
        """Record an answer; `last` says that it completes the question."""
        self._said.append(AnswerEvent(seat, question, answer))
        if last:
            said, self._said = self._said, []
            for each in said:
                self._show(each)

    def _show(self, event: Any) -> None:
        for line in self._narrator.tell(event):
            self._lines.append(line)
            if self._prints:
                print(line)  # noqa: T201  # render_mode="human"


class DealSeeds:
    """Chooses the seed of each deal; a seed that is given fixes all that follow it."""

    def __init__(self) -> None:
        self._first: str | None = None  # no seed was given: every deal is random
        self._count = 0

    def next_seed(self, wanted: int | None) -> str:
        """Return the given seed, or one that follows from the last given one.

        So one seed fixes a whole training. Without a given seed, return 128 random bits.
        """
        if wanted is not None:
            self._first, self._count = str(wanted), 0
            return self._first
        if self._first is None:
            return secrets.token_hex(16)
        self._count += 1
        return f"{self._first}, deal {self._count}"


def env(
    game: str | Game,
    /,
    seats: int | None = None,
    render_mode: str | None = None,
    *,
    illegal_reward: float = ILLEGAL_REWARD,
    **options: Any,
) -> AECEnv:
    """Return a game as an environment in which one agent acts after the other.

    `game` is the name of an installed game or a `Game`; `seats` defaults to the smallest number
    that it allows; `render_mode` is None, "human" (prints) or "ansi" (returns a text). All
    other `options` are the game's. An action that the mask forbids ends the game with
    `illegal_reward`, as in PettingZoo's own games.

    Raises UnknownNameError if there is no such game, and ValueError for wrong arguments and, in
    `step`, for what is no action at all.
    """
    made = wrappers.TerminateIllegalWrapper(
        raw_env(game, seats, render_mode, **options), illegal_reward
    )
    return wrappers.OrderEnforcingWrapper(CheckedActions(made))


def raw_env(
    game: str | Game,
    /,
    seats: int | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> AECEnv:
    """Return the environment without PettingZoo's wrappers: illegal actions raise ValueError."""
    return GameEnv(game, seats, render_mode, **options)


def parallel_env(
    game: str | Game,
    /,
    seats: int | None = None,
    render_mode: str | None = None,
    *,
    illegal_reward: float = ILLEGAL_REWARD,
    **options: Any,
) -> ParallelEnv:
    """Return a game that always asks all seats at once as a parallel environment.

    The arguments are those of `env`. Also raises ValueError if the game asks some seats only.
    """
    return ParallelGameEnv(game, seats, render_mode, illegal_reward=illegal_reward, **options)
