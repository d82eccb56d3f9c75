"""Environments in which one agent acts after the other."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

import arena_pettingzoo
from arena.plugins import get_plugins, load_game
from arena_briscola.rules import FULL_PACK

pytestmark = pytest.mark.slow


def allowed(observation: dict[str, Any]) -> list[int]:
    return np.flatnonzero(observation["action_mask"]).tolist()


def play(env: Any, seed: int) -> dict[str, float]:
    """Play a game at random; return the sum of what each agent was rewarded with."""
    env.reset(seed=seed)
    rewards, random = dict.fromkeys(env.possible_agents, 0.0), Random(seed)
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        rewards[agent] += reward
        env.step(None if over else random.choice(allowed(observation)))
    return rewards


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("gops", {"cards": 7, "ties": "split"}),
        ("gops", {"seats": 4}),
        ("kuhn", {}),
        ("hearts", {"seats": 4, "deals": 1}),
    ],
)
def test_rewards_add_up_to_the_scores(game: str, options: dict[str, Any]) -> None:
    """What an agent gets in a whole game is its seat's final score."""
    env = arena_pettingzoo.env(game, **options)
    for seed in range(2):
        rewards = play(env, seed)
        scores = map(float, env.unwrapped.episode.play.scores)
        assert [*rewards.values()] == pytest.approx([*scores])


def test_rewards_come_when_the_score_changes() -> None:
    """A prize is a reward as soon as it is taken, and seen when the agent is next in turn."""
    env = arena_pettingzoo.env("gops", cards=2, prizes=[1, 2])
    env.reset(seed=0)
    seen = []
    for action in (0, 1, 1, 0, None, None):  # seat_1 takes the first prize, seat_0 the second
        seen.append((env.agent_selection, *env.last(observe=False)[1:4]))
        env.step(action)
    assert seen == [
        ("seat_0", 0.0, False, False),
        ("seat_1", 0.0, False, False),
        ("seat_0", 0.0, False, False),
        ("seat_1", 1.0, False, False),
        ("seat_0", 2.0, True, False),
        ("seat_1", 0.0, True, False),
    ]


def test_masks_are_the_options() -> None:
    """The mask allows what may be answered, and nothing to a seat that is not asked."""
    env = arena_pettingzoo.env("gops", cards=4)
    env.reset(seed=0)
    assert allowed(env.observe("seat_0")) == allowed(env.observe("seat_1")) == [0, 1, 2, 3]
    env.step(2)
    assert allowed(env.observe("seat_0")) == []
    env.step(0)
    assert allowed(env.observe("seat_0")) == [0, 1, 3]
    assert allowed(env.observe("seat_1")) == [1, 2, 3]


def test_nobody_sees_an_answer_before_all_are_in() -> None:
    """What is asked at once is answered blindly, although one acts after the other."""
    env = arena_pettingzoo.env("gops", cards=4)
    seen = []
    for action in range(4):
        env.reset(seed=0)
        env.step(action)
        seen.append(env.last()[0]["observation"].tobytes())
    assert len({*seen}) == 1


def test_the_question_is_in_the_infos() -> None:
    """Who is asked can tell what; the others have nothing."""
    env = arena_pettingzoo.env("kuhn")
    env.reset(seed=0)
    assert env.infos == {"seat_0": {"question": "Bet"}, "seat_1": {}}
    env.step(1)
    assert env.infos == {"seat_0": {}, "seat_1": {"question": "Bet"}}


def test_an_illegal_action_ends_the_game() -> None:
    """As in PettingZoo's own games; it costs what is said."""
    for cost in (arena_pettingzoo.ILLEGAL_REWARD, -5.0):
        env = arena_pettingzoo.env("gops", cards=2, prizes=[1, 2], illegal_reward=cost)
        env.reset(seed=0)
        for action in (0, 1, 0):
            env.step(action)
        assert env.terminations == {"seat_0": True, "seat_1": True}
        assert env.rewards == {"seat_0": cost, "seat_1": 0.0}


def test_the_raw_environment_refuses_an_illegal_action() -> None:
    """An illegal action raises ValueError with a message of one line."""
    env = arena_pettingzoo.raw_env("gops", cards=2)
    env.reset(seed=0)
    env.step(0)
    env.step(1)
    with pytest.raises(
        ValueError, match=r"^seat_0: action 0 is not allowed: 1 is not one of \(2,\)$"
    ):
        env.step(0)
    with pytest.raises(
        ValueError, match=r"^seat_0: -1 is no action; allowed is a number from 0 to 1$"
    ):
        env.step(-1)


def test_a_seed_fixes_the_deals_after_it() -> None:
    """The deal of a seed is that of the arena; those after it follow from it."""

    def deals(env: Any) -> list[Any]:
        found = []
        for seed in (1, None, None):
            env.reset(seed=seed)
            found.append(env.unwrapped.episode.play.position.ranks)
        return found

    env = arena_pettingzoo.env("kuhn")
    assert deals(env) == deals(env)
    assert deals(env)[0] == (3, 2)  # as in `arena play kuhn --seed 1`


def test_without_a_seed_deals_are_fresh() -> None:
    """No two games are alike."""
    env = arena_pettingzoo.env("gops")
    seeds = set()
    for _ in range(3):
        env.reset()
        seeds.add(env.unwrapped.episode.play.seed)
    assert len(seeds) == 3
    assert all(len(seed) == 32 for seed in seeds)


def test_a_game_can_be_given_up() -> None:
    """Reset begins anew wherever a game is, also while agents are leaving it."""
    env = arena_pettingzoo.env("kuhn")
    env.reset(seed=1)
    for action in (1, 0, None):
        env.step(action)
    assert env.agents == ["seat_1"]
    assert play(env, 1) == play(arena_pettingzoo.env("kuhn"), 1)


def test_rendering_tells_the_game_in_words() -> None:
    """All that has happened so far, for one who may see everything."""
    env = arena_pettingzoo.env("kuhn", render_mode="ansi")
    env.reset(seed=1)
    dealt = env.render()
    for action in (0, 1, 0):
        env.step(action)
    assert dealt.splitlines() == [
        "seat_0 and seat_1 play Kuhn poker for a pot of 2 chips.",
        "seat_0 holds the king.",
        "seat_1 holds the queen.",
    ]
    assert env.render().removeprefix(dealt).split("\n") == [
        "",
        "seat_0 passes.",
        "seat_1 bets.",
        "seat_0 folds.",
        "seat_1 wins 1 chip: no card is shown.",
    ]


def test_people_are_shown_what_happens(capsys: pytest.CaptureFixture[str]) -> None:
    """In the mode `human` each line is printed as it happens, once."""
    env = arena_pettingzoo.env("gops", cards=2, prizes=[2, 1], render_mode="human")
    env.reset(seed=0)
    assert "Round 1 of 2: the prize is the 2." in capsys.readouterr().out
    env.step(0)
    assert env.render() is None
    assert capsys.readouterr().out == ""  # nobody sees a bid before all are in
    env.step(1)
    assert capsys.readouterr().out.splitlines() == [
        "seat_1 bids the 2 and takes the 2; seat_0 bids the ace.",
        "Points: seat_0: 0, seat_1: 2.",
        "Round 2 of 2: the prize is the ace.",
    ]


def test_environments_can_be_copied() -> None:
    """Copies and pickles are of the same game, and begin anew."""
    env = arena_pettingzoo.env("gops", 3, cards=4, render_mode="ansi")
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301
        assert twin.unwrapped.setup == env.unwrapped.setup
        assert play(twin, 2) == play(env, 2)


LEARNABLE = [name for name, game in get_plugins().games.items() if game.learning.actions]


@pytest.mark.parametrize("game", LEARNABLE)
def test_every_installed_game_with_actions_can_be_played(game: str) -> None:
    """With as many seats as it is for."""
    for seats in load_game(game).seats[:2]:
        env = arena_pettingzoo.env(game, seats)
        rewards = play(env, 1)
        assert env.agents == []
        assert len(rewards) == seats


def test_actions_go_by_the_names_that_an_encoder_gives() -> None:
    """In Briscola those allowed are the hand, and no other one plays a card that is held."""
    env = arena_pettingzoo.raw_env("briscola")
    env.reset(seed=1)
    misleading = 0
    for asks in range(20):
        seat, episode = int(env.agent_selection[-1]), env.episode
        hand = [*episode.play.pending[seat].options]
        legal = allowed(env.observe(env.agent_selection))
        assert len(legal) == len(hand)
        for action in [FULL_PACK.index(card) for card in hand]:
            if action not in legal:  # another card is called so
                misleading += 1
                with pytest.raises(ValueError, match="is not allowed"):
                    env.step(action)
        env.step(legal[0])
        assert episode.play.closed == asks + 1
    assert misleading
