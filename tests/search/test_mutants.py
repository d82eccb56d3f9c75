"""An engine that hands a seat what it does not know, or deals what cannot be, breaks a law."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from attrs import evolve

from arena import Play, Position, load_game
from arena.search import Juncture, World, Worlds, junctures
from arena.testing import Case, check_law
from arena_hearts import HeartsPosition
from arena_hearts.memory import Memory

SEEDS = [f"{number}" for number in range(6)]
Patch = pytest.MonkeyPatch


def keep_the_seed(patch: Patch) -> None:
    """Give worlds the seed of the truth."""
    seeds, draw, of = list[str](), Worlds.draw, Juncture.of

    def look(game: Any, play: Play, *rest: Any) -> Juncture:
        seeds.append(play.seed)
        return of(game, play, *rest)

    def leak(worlds: Worlds) -> World | None:
        world = draw(worlds)
        return world and evolve(world, seed=seeds[-1])

    patch.setattr(Juncture, "of", look)
    patch.setattr(Worlds, "draw", leak)


def keep_secret_answers(patch: Patch) -> None:
    """Hand over the answers to secret questions as they were given."""
    patch.setattr(junctures, "_hide_answers", lambda *given: tuple(given[2].items()))


def keep_the_open_ask(patch: Patch) -> None:
    """Count the ask that is open among those that are over."""
    patch.setattr(
        Play, "asks", property(lambda play: (*play._settled, *filter(None, [play._given])))
    )


def keep_the_position(patch: Patch) -> None:
    """Hand over the true position."""
    of = Juncture.of

    def leak(game: Any, play: Play, *rest: Any) -> Juncture:
        return evolve(of(game, play, *rest), position=play.position)

    patch.setattr(Juncture, "of", leak)


def deal_by_chance(patch: Patch) -> None:
    """Remember nothing: deal all cards, also the seat's own."""

    def redeal(_: Memory, position: HeartsPosition, random: Random) -> Position:
        seats = len(position.hands)
        return Play.deal(position.variant, seats, f"{random.random()}").position

    patch.setattr(Memory, "redeal", redeal)


MUTANTS = {
    keep_the_seed: ("kuhn", "worlds_look_like_the_truth", "has the true seed"),
    keep_secret_answers: ("bs", "junctures_withhold_secret_answers", "a secret answer of seat"),
    keep_the_open_ask: ("gops", "junctures_leave_out_open_answers", "an ask that is still open"),
    keep_the_position: ("kuhn", "junctures_are_dealt_anew", "has the true position"),
    deal_by_chance: ("hearts", "worlds_look_like_the_truth", "no position that Learning.recall"),
}


@pytest.mark.parametrize(("mutate", "caught"), MUTANTS.items())
def test_a_law_catches_each_mutant(
    mutate: Callable[[Patch], None], caught: tuple[str, str, str], monkeypatch: Patch
) -> None:
    """The engine keeps the law, and the mutant does not."""
    name, law, words = caught
    check_cases(name, law)
    mutate(monkeypatch)
    with pytest.raises(AssertionError, match=words):
        check_cases(name, law)


def check_cases(name: str, law: str) -> None:
    game = load_game(name)
    for seed in SEEDS:
        check_law(game, law, Case({}, game.seats[0], seed))
