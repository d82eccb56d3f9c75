"""Games of the arena as PettingZoo environments, and policies as bots in matches.

    env = arena_pettingzoo.env("gops", cards=5)

PettingZoo and Gymnasium are imported only when an environment is created: the import is slow, and a
policy that plays as a program does not need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena import Game
from arena_pettingzoo.encodings import Observation
from arena_pettingzoo.policy_bot import Policy, PolicyBot

if TYPE_CHECKING:
    from pettingzoo import AECEnv, ParallelEnv

__all__ = ["ILLEGAL_REWARD", "Observation", "Policy", "PolicyBot", "env", "parallel_env", "raw_env"]

ILLEGAL_REWARD = -1000.0
"""Lower than any score in the bundled games: an illegal action must never pay."""


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
    from pettingzoo.utils import wrappers

    from arena_pettingzoo.environments import CheckedActions

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
    from arena_pettingzoo.environments import GameEnv

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
    from arena_pettingzoo.environments import ParallelGameEnv

    return ParallelGameEnv(game, seats, render_mode, illegal_reward=illegal_reward, **options)
