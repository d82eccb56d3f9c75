"""PettingZoo's own tests of environments, which these pass."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import arena_pettingzoo
from arena.plugins import load_game
from tests.support.toys import change
from tests.testing.games.openly import AUCTION

GAMES = [
    pytest.param("gops", {}, id="gops"),
    pytest.param("gops", {"seats": 4, "ties": "carry"}, id="gops of 4"),
    pytest.param("kuhn", {}, id="kuhn"),
    pytest.param("hearts", {"seats": 4, "deals": 1}, id="hearts"),
    pytest.param(change(load_game("gops"), encoder=None), {"cards": 5}, id="gops, generic figures"),
    pytest.param(change(load_game("kuhn"), encoder=None), {}, id="kuhn, generic figures"),
    pytest.param(AUCTION, {"step": 50_000}, id="auction"),
]
AT_ONCE = [param for param in GAMES if "gops" in str(param.id) or param.id == "auction"]

# PettingZoo says both of every environment with masks but its own, which it knows by name:
# the observation is a dictionary, which holds the array and the mask.
with_masks = (
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
)


def masked(test: Any) -> Any:
    for mark in with_masks:
        test = mark(test)
    return test


@masked
@pytest.mark.parametrize(("game", "options"), GAMES)
def test_the_api(game: Any, options: dict[str, Any]) -> None:
    """The environment behaves as the AEC API wants it, over some hundred steps."""
    api_test(arena_pettingzoo.env(game, **options), num_cycles=50)


@masked
@pytest.mark.parametrize(("game", "options"), GAMES[:1])
def test_the_api_without_wrappers(game: Any, options: dict[str, Any]) -> None:
    """The raw environment follows PettingZoo's interface, too."""
    api_test(arena_pettingzoo.raw_env(game, **options), num_cycles=30)


@pytest.mark.parametrize(("game", "options"), GAMES[::2])
def test_seeds(game: Any, options: dict[str, Any]) -> None:
    """Two environments with the same seed go alike."""
    seed_test(partial(arena_pettingzoo.env, game, **options), num_cycles=100)


@pytest.mark.parametrize(("game", "options"), GAMES[:-1])  # the last says nothing at first
def test_rendering(game: Any, options: dict[str, Any]) -> None:
    """Every mode that is listed gives what it should."""
    render_test(partial(arena_pettingzoo.env, game, **options), {"ansi": bool})


@pytest.mark.parametrize(("game", "options"), AT_ONCE)
def test_the_parallel_api(game: Any, options: dict[str, Any]) -> None:
    """The parallel environment behaves as the parallel API wants it."""
    parallel_api_test(arena_pettingzoo.parallel_env(game, **options), num_cycles=100)


@pytest.mark.parametrize(("game", "options"), AT_ONCE[1:])
def test_parallel_seeds(game: Any, options: dict[str, Any]) -> None:
    """Two parallel environments with the same seed go alike."""
    parallel_seed_test(partial(arena_pettingzoo.parallel_env, game, **options), num_cycles=100)
