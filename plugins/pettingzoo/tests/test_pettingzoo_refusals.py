"""What cannot be is said in one line, with what can."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import arena_pettingzoo
from arena.plugins import load_game
from arena.rules import UnknownNameError
from tests.support.toys import change
from tests.testing.games.openly import AUCTION

BOTH = (arena_pettingzoo.env, arena_pettingzoo.parallel_env)


@pytest.mark.parametrize(
    ("game", "arguments", "line"),
    [
        ("gops", {"seats": 11}, "gops is for 2 to 10 seats, not 11"),
        ("kuhn", {"seats": 3}, "kuhn is for 2 seats, not 3"),
        ("gops", {"cards": 0}, "cards: must be >= 1, not 0"),
        ("gops", {"card": 5}, "unknown key 'card'; did you mean cards?"),
        ("gops", {"ties": "lost"}, "ties: 'lost' is not one of discard, split, carry"),
        ("gops", {"render_mode": "rgb_array"}, "unknown render mode 'rgb_array' (available: human, ansi)"),
        (AUCTION, {}, "a learning environment cannot have 1000001 actions (at most 100000); choose"),
        (change(load_game("kuhn"), actions=None), {}, "kuhn cannot be a learning environment: it does not list its actions (Learning.actions)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", BOTH)
def test_what_is_wrong_is_said(make: Any, game: Any, arguments: dict[str, Any], line: str) -> None:
    """Seats, options, modes, games without actions."""
    with pytest.raises(ValueError, match=f"^{re.escape(line)}") as problem:
        make(game, **arguments)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("make", BOTH)
def test_an_unknown_game_is_named(make: Any) -> None:
    """The message for an unknown game suggests a name."""
    with pytest.raises(UnknownNameError, match=r"unknown game 'gobs'; did you mean gops?"):
        make("gobs")


@pytest.mark.parametrize(
    ("game", "asked"), [("kuhn", "seat_0: Bet"), ("hearts", r"seat_\d: PlayCard")]
)
def test_a_game_of_turns_is_no_parallel_environment(game: str, asked: str) -> None:
    """It is found out when the environment is made, even if all are asked at first."""
    with pytest.raises(
        ValueError, match=rf"^{game} cannot be a parallel environment: .* \({asked}\)"
    ):
        arena_pettingzoo.parallel_env(game)


@pytest.mark.parametrize("action", [True, np.True_, "1", 1.5, -1, 2, [0]], ids=repr)
@pytest.mark.parametrize("make", [arena_pettingzoo.env, arena_pettingzoo.raw_env])
def test_what_is_no_action_is_refused(make: Any, action: object) -> None:
    """And the message says what is one."""
    env = make("kuhn")
    env.reset(seed=1)
    said = f"seat_0: {action!r} is no action; allowed is a number from 0 to 1"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        env.step(action)


@pytest.mark.parametrize("make", [arena_pettingzoo.env, arena_pettingzoo.raw_env])
def test_nobody_passes_before_the_game_is_over(make: Any) -> None:
    """PettingZoo's None is for who has nothing left to do."""
    env = make("kuhn")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^seat_0 has to act, by a number from 0 to 1: None is"):
        env.step(None)


@pytest.mark.parametrize("action", [1, np.int64(1), np.array(1)], ids=repr)
def test_an_action_may_come_from_numpy(action: Any) -> None:
    """Policies return arrays."""
    env = arena_pettingzoo.env("kuhn")
    env.reset(seed=1)
    env.step(action)
    assert env.agent_selection == "seat_1"
