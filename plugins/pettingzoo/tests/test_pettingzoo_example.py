"""The example: a policy is trained, and plays in the arena."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from arena import Greeting, Play
from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import load_game
from arena_kuhn import Card, Kuhn, KuhnObservationEncoder, KuhnPosition

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[1] / "examples/kuhn"
GAMES = 3000

Events = list[Any]
Plan = Callable[[Events], float]
"""Gives the chance to bet, after these events."""


def module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLE / f"{name}.py")
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def trained(file: Path, games: int, seed: int = 1) -> str:
    command = ["--games", str(games), "--seed", str(seed), "--to", str(file)]
    done = CliRunner().invoke(module("train_kuhn").main, command, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a bot that was trained in small."""
    folder = tmp_path_factory.mktemp("bots") / "kuhn"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("policy.json", "__pycache__"))
    said = trained(folder / "policy.json", GAMES)
    assert said == f"{GAMES} games, 12 situations: {folder / 'policy.json'}\n"
    return folder


@pytest.fixture(scope="module")
def plan(bot: Path) -> Plan:
    chances = json.loads((bot / "policy.json").read_text("utf-8"))

    def bets(events: Events) -> float:
        chance: float = chances[known(events)][1]
        return chance

    return bets


def known(events: Events) -> str:
    encoder = KuhnObservationEncoder(events[0])
    for event in events[1:]:
        encoder.tell(event)
    return np.asarray(encoder.observation(), np.float32).tobytes().hex()


def even(_: Events) -> float:
    return 0.5


def careful(events: Events) -> float:
    return float(Card(3) in events)


def score(plans: Sequence[Plan], seat: int) -> float:
    """Return what a seat can expect of a hand when these play."""
    deals = [KuhnPosition(Kuhn(), ranks) for ranks in permutations((1, 2, 3), 2)]
    greetings = [[Greeting("kuhn", each, 2, Kuhn(), "")] for each in (0, 1)]
    scores = [expected(Play(deal, 2, ""), greetings, plans)[seat] for deal in deals]
    return float(np.mean(scores))


def expected(play: Play, told: list[Events], plans: Sequence[Plan]) -> Any:
    news = play.drain()
    told = [had + [each for to, each in news if to in (None, at)] for at, had in enumerate(told)]
    if play.over:
        return np.array(play.scores)
    (seat,) = play.pending
    chance, after = plans[seat](told[seat]), [play.clone(), play.clone()]
    for bets, each in enumerate(after):
        each.answer(seat, bool(bets))
    return chance * expected(after[1], told, plans) + (1 - chance) * expected(after[0], told, plans)


def certain() -> Iterator[Plan]:
    """Return every way to play a seat without drawing: it is asked in six situations at most."""
    for bets in product((0.0, 1.0), repeat=6):

        def plan(events: Events, bets: tuple[float, ...] = bets) -> float:
            rank = next(event.rank for event in events if isinstance(event, Card))
            pressed = getattr(events[-1], "bets", False)
            return bets[2 * (rank - 1) + pressed]

        yield plan


def best_against(plan: Plan) -> float:
    """Return what the best opponent of a plan wins a hand, from both seats by turns."""
    first = max(score((other, plan), 0) for other in certain())
    second = max(score((plan, other), 1) for other in certain())
    return (first + second) / 2


def from_both(plan: Plan, other: Plan) -> float:
    """Return what a plan wins a hand from another, from both seats by turns."""
    return (score((plan, other), 0) + score((other, plan), 1)) / 2


def test_it_beats_random(plan: Plan) -> None:
    """By more than a tenth of a chip a hand."""
    assert from_both(plan, even) > 0.1


def test_it_leaves_little_to_anybody(plan: Plan) -> None:
    """It has come near to an equilibrium, from which nobody can win, nor `careful` lose."""
    assert best_against(even) == pytest.approx(11 / 24)
    assert 0 < best_against(plan) < 0.05
    assert abs(from_both(plan, careful)) < 0.05


def test_a_seed_fixes_the_training(tmp_path: Path) -> None:
    """The same games, the same policy; another seed, another one."""
    files = [tmp_path / name for name in ("one", "same", "other")]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        trained(file, 50, seed)
    first, same, other = (file.read_bytes() for file in files)
    assert first == same
    assert first != other


def test_it_plays_matches_as_a_program(bot: Path) -> None:
    """The folder is entered against a bot of the game, and never fails."""
    game = load_game("kuhn")
    series = Series(game, game.read_variant({}), parse_entrants(game, [str(bot), "careful"]), "1")
    for match in series.iter_matches(2):  # from both seats
        result = host(*match, HostConfig())
        assert "learned" in result.spec.names
        assert not result.outcome.verdicts


def test_an_untrained_bot_plays_by_chance(tmp_path: Path) -> None:
    """What is not in the file is drawn."""
    (tmp_path / "none.json").write_text("{}")
    bot = module("play_kuhn").load_bot(tmp_path / "none.json")
    bot.greet(Greeting("kuhn", 0, 2, Kuhn(), "1"))
    bot.hear(Card(2))
    (question,) = Play.deal(Kuhn(), 2, "1").pending.values()
    assert {bot.choose(question) for _ in range(20)} == {True, False}
