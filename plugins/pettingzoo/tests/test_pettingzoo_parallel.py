"""Environments in which all act at once, and what cannot be."""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import arena_pettingzoo
from arena import Game, Learning, OneOf, Question, Seat, Table
from arena.plugins import load_game
from arena.rules import UnknownNameError
from tests.support.toys import change
from tests.testing.games.openly import AUCTION


def test_all_act_at_once() -> None:
    """A step is a round: its answers, and what each has gained."""
    env = arena_pettingzoo.parallel_env("gops", 3, cards=2, prizes=[2, 1])
    observations, infos = env.reset(seed=0)
    assert [*observations] == ["seat_0", "seat_1", "seat_2"]
    assert infos == {agent: {"question": "Bid"} for agent in observations}
    observations, rewards, over, cut, _ = env.step({"seat_0": 0, "seat_1": 1, "seat_2": 0})
    assert rewards == {"seat_0": 0.0, "seat_1": 2.0, "seat_2": 0.0}
    assert (any(over.values()), any(cut.values())) == (False, False)
    assert observations["seat_1"]["action_mask"].tolist() == [1, 0]
    _, rewards, over, cut, infos = env.step({"seat_0": 1, "seat_1": 0, "seat_2": 1})
    assert rewards == dict.fromkeys(rewards, 0.0)
    assert (all(over.values()), any(cut.values())) == (True, False)
    assert (env.agents, infos) == ([], {"seat_0": {}, "seat_1": {}, "seat_2": {}})


def test_it_is_the_same_game_as_one_after_the_other() -> None:
    """Both kinds give the same observations and rewards for the same actions."""
    parallel, aec = (
        make("gops", cards=5) for make in (arena_pettingzoo.parallel_env, arena_pettingzoo.env)
    )
    seen, _ = parallel.reset(seed=3)
    aec.reset(seed=3)
    random = Random(3)
    while parallel.agents:
        actions = {
            agent: random.choice(np.flatnonzero(seen[agent]["action_mask"])) for agent in seen
        }
        for agent, action in actions.items():
            np.testing.assert_equal(aec.observe(agent), seen[agent])
            aec.step(action)
        seen, rewards, *_ = parallel.step(actions)
        assert aec.rewards == rewards


def test_an_illegal_action_ends_the_game() -> None:
    """Who did it pays, and nobody else gains or loses."""
    env = arena_pettingzoo.parallel_env("gops", cards=3, illegal_reward=-7.0)
    env.reset(seed=0)
    env.step({"seat_0": 0, "seat_1": 1})
    _, rewards, over, cut, _ = env.step({"seat_0": 1, "seat_1": 1})
    assert rewards == {"seat_0": 0.0, "seat_1": -7.0}
    assert all((*over.values(), *cut.values()))
    assert env.agents == []


def test_what_is_missing_is_said() -> None:
    """An agent without an action, and a game that is not going on."""
    env = arena_pettingzoo.parallel_env("gops", cards=3)
    with pytest.raises(ValueError, match=r"^no game is in progress: call reset\(\) first$"):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^actions are missing for seat_1$"):
        env.step({"seat_0": 1})


def test_parallel_environments_can_be_copied() -> None:
    """A copy of a parallel environment keeps all its settings."""
    env = copy.deepcopy(arena_pettingzoo.parallel_env("gops", cards=3, illegal_reward=-7.0))
    env.reset(seed=0)
    env.step({"seat_0": 0, "seat_1": 0})
    assert env.step({"seat_0": 0, "seat_1": 1})[1] == {"seat_0": -7.0, "seat_1": 0.0}


@frozen
class Pick(Question[int]):
    """Which?"""


@frozen
class Rarely:
    """A toy, and its position: both are asked, and after two nines one of them once more."""

    over: bool = False
    scores: tuple[int, ...] = (0, 0)

    @property
    def variant(self) -> Rarely:
        return Rarely()

    async def deal(self, table: Table) -> Rarely:
        return self

    async def round(self, table: Table) -> Rarely:
        pick = Pick(OneOf(range(10)))
        picked = await table.ask_all({0: pick, 1: pick})
        if [*picked.values()] == [9, 9]:
            await table.ask(1, pick)
        return evolve(self, over=True)

    def resample_hidden(self, seat: Seat, random: Random) -> Rarely:
        return self


def picks(variant: Any, seats: int) -> range:  # noqa: ARG001
    return range(10)


@frozen
class Racing(Rarely):
    """The same, but the first who does not pick 0 wins."""

    @property
    def variant(self) -> Racing:
        return Racing()

    async def round(self, table: Table) -> Rarely:
        pick = Pick(OneOf(range(10)))
        first = await table.ask_first({0: pick, 1: pick}, passing=0)
        scores = tuple(int(first is not None and first[0] == seat) for seat in table.seats)
        return evolve(self, over=True, scores=scores)


TOY = Game(
    name="toy",
    summary="",
    variant=Rarely,
    seats=range(2, 3),
    messages=(Pick,),
    learning=Learning(actions=picks),
)


RACE = evolve(TOY, name="race", variant=Racing)


def test_a_game_that_the_first_answer_ends_is_no_parallel_environment() -> None:
    """Who acts first does not act at once with the others."""
    with pytest.raises(
        ValueError, match=r"^race cannot be a parallel environment: it takes the first answer"
    ):
        arena_pettingzoo.parallel_env(RACE)


def test_the_first_that_does_not_pass_ends_it_for_the_others() -> None:
    """They act in the order of their seats; who comes behind is not asked any more."""
    env = arena_pettingzoo.env(RACE)
    for actions, rewards in (([0, 3], [0, 1]), ([3], [1, 0]), ([0, 0], [0, 0])):
        env.reset(seed=0)
        for action in actions:
            assert not any(env.terminations.values())
            env.step(action)
        assert [*env.rewards.values()] == rewards
        assert all(env.terminations.values())


def test_a_game_that_seldom_asks_one_alone_is_found_out_when_it_does() -> None:
    """The game that is tried when an environment is made may not show it."""
    env = arena_pettingzoo.parallel_env(TOY)
    env.reset(seed=0)
    assert env.step({"seat_0": 9, "seat_1": 9})[1] == {"seat_0": 0.0, "seat_1": 0.0}
    with pytest.raises(
        ValueError, match=r"^toy cannot be a parallel environment: .* \(seat_1: Pick\)"
    ):
        env.step({"seat_0": 0, "seat_1": 0})


BOTH = (arena_pettingzoo.env, arena_pettingzoo.parallel_env)


@pytest.mark.parametrize(
    ("game", "arguments", "line"),
    [
        ("gops", {"seats": 11}, "gops is for 2 to 10 seats, not 11"),
        ("kuhn", {"seats": 3}, "kuhn is for 2 seats, not 3"),
        ("gops", {"cards": 0}, "cards: 0 is not a whole number from 1 to 1000"),
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
