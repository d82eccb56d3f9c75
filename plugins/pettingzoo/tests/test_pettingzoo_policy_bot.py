"""Policies as players."""

from __future__ import annotations

import io
import json
from functools import partial
from typing import Any

import numpy as np
import pytest

import arena_pettingzoo
from arena import Game, Greeting, Play
from arena.bot import run
from arena.host import Match
from arena.players import BotPlayer
from arena.plugins import load_game
from arena.rules import Fault, Outcome
from arena_kuhn import BET, Card, Kuhn
from arena_pettingzoo import Observation, Policy, PolicyBot
from tests.support.toys import change

GAMES = [
    ("kuhn", {}),
    ("gops", {"cards": 6}),
    ("gops", {"cards": 4, "seats": 4}),
    ("hearts", {"seats": 4, "deals": 1}),
    ("briscola", {}),
    (change(load_game("kuhn"), encoder=None), {}),
]


def lowest(observation: Observation) -> int:
    return int(observation["action_mask"].argmax())


class Recorder:
    """A policy that keeps what it sees."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    def __call__(self, observation: Observation) -> int:
        """Take the last action that is allowed at odd turns, the first at even ones."""
        self.seen.append(observation)
        allowed = np.flatnonzero(observation["action_mask"])
        return int(allowed[-(len(self.seen) % 2)])


def in_a_match(game: str | Game, policies: Any, seed: str, options: dict[str, Any]) -> Outcome:
    found = load_game(game) if isinstance(game, str) else game
    play = Play.deal(found.read_variant(options), len(policies), seed)
    players = [BotPlayer(PolicyBot(game, policy)) for policy in policies]
    return Match(play, players, game=found.name).run()


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_policy_sees_the_same_in_a_match(game: str | Game, options: dict[str, Any]) -> None:
    """Byte by byte what it sees in the environment, of the same deal and the same actions."""
    env = arena_pettingzoo.env(game, **options)
    env.reset(seed=5)
    there = [Recorder() for _ in env.agents]
    for agent in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else there[env.possible_agents.index(agent)](observation))
    here = [Recorder() for _ in there]
    rules = {name: value for name, value in options.items() if name != "seats"}
    outcome = in_a_match(game, here, "5", rules)
    assert not outcome.verdicts
    assert [told(each) for each in here] == [told(each) for each in there]
    assert all(each.seen for each in here)


def told(recorder: Recorder) -> list[dict[str, tuple[str, bytes]]]:
    return [
        {name: (array.dtype.str, array.tobytes()) for name, array in seen.items()}
        for seen in recorder.seen
    ]


def test_a_policy_plays_as_a_program() -> None:
    """It reads JSON lines and answers, in the same way."""
    game, out = load_game("kuhn"), io.StringIO()
    wire = game.build_codec("json", 0)
    hello = Greeting("kuhn", 0, 2, Kuhn(), "7")
    lines = [*wire.tell(hello), *wire.tell(Card(3)), *wire.ask(BET)]
    policy = Recorder()
    run(partial(PolicyBot, "kuhn", policy), io.StringIO("\n".join(lines)), out)
    assert json.loads(out.getvalue()) is True
    assert policy.seen[0]["observation"].tolist() == [0, 0, 0, 1, *[0] * 9]


def bets(policy: Policy, hands: int = 200) -> int:
    count = 0
    for seed in range(hands):
        bot = PolicyBot("kuhn", policy)
        bot.greet(Greeting("kuhn", 0, 2, Kuhn(), f"{seed}"))
        bot.hear(Card(3))
        count += bot.choose(BET)
    return count


def test_weights_are_chances() -> None:
    """The bot draws by them from its own seed, the same each time."""
    assert bets(lambda _: [0.0, 2.5]) == 200
    assert 120 < bets(lambda _: np.array([1.0, 3.0])) < 180
    assert bets(lambda _: [1.0, 3.0]) == bets(lambda _: [1.0, 3.0])
    assert 60 < bets(lambda _: [0.0, 0.0]) < 140  # as likely, where none is wanted


def test_weights_of_what_is_forbidden_do_not_count() -> None:
    """A policy that would bid the same card each time bids what it may."""
    outcome = in_a_match("gops", [lambda _: [0.0, 0.0, 1.0]] * 2, "1", {"cards": 3})
    assert not outcome.verdicts


def test_an_action_that_is_forbidden_is_judged() -> None:
    """It is illegal in the arena, as any other bot's."""
    outcome = in_a_match("gops", [lambda _: 2, lowest], "1", {"cards": 3})
    assert {seat: verdict.kind for seat, verdict in outcome.verdicts.items()} == {0: Fault.ILLEGAL}


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (3, "ValueError: action 3 is not one of 0 to 2"),
        (-1, "ValueError: action -1 is not one of 0 to 2"),
        ([1.0, 2.0], "ValueError: the policy returned 2 weights, but there are 3 actions"),
    ],
)
def test_nonsense_crashes_the_bot(answer: Any, line: str) -> None:
    """The verdict says why."""
    outcome = in_a_match("gops", [lambda _: answer, lowest], "1", {"cards": 3})
    assert outcome.verdicts[0].kind is Fault.CRASHED
    assert outcome.verdicts[0].detail.startswith(line)


@pytest.mark.slow
def test_a_policy_starts_without_pettingzoo() -> None:
    """A program that plays by one need not wait for that import."""
    from subprocess import run as start
    from sys import executable

    code = (
        "import sys, arena_pettingzoo; print(sorted({'pettingzoo', 'gymnasium'} & {*sys.modules}))"
    )
    done = start([executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
