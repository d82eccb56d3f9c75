"""Sound games hold to the contract, in whatever style they are written."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Game
from arena.testing import Contract
from tests.testing.games import face_down, gifts, openly, outcry, styles
from tests.testing.games.higher import HIGHER
from tests.testing.games.holding import GOLDEN, contract, keeps, run
from tests.testing.games.sealed import SEALED

SETS = "the_order_of_sets_does_not_matter"  # starts interpreters
pytestmark = pytest.mark.slow  # whole contracts, and other interpreters


class TestHigher(Contract):
    """Hidden hands, a hidden stock, a question for one and one for all, a text wire."""

    game = HIGHER
    golden = GOLDEN
    max_examples = 4
    secrets = (SEALED,)


HIDING = [
    styles.CLAIMS,  # what others answered is public, depends on hidden cards; the narrator counts
    styles.DISCARDS,  # some of a hidden hand, or nothing
    face_down.SOUND,  # cards are passed face down, seen by one seat, passed on, and turned up
    outcry.OUTCRY,  # whoever answers first ends the ask; a wire that says so to the others
    styles.PATIENCE,  # one seat
]
OPEN = [
    gifts.SOUND,  # secret answers of which a sum is announced, and later a part of each
    openly.RACE,  # the deal asks, arrival counts, seats drop out, scores are fractions
    openly.WORDS,  # texts
    openly.COIN,  # nobody is asked
    openly.PACKS,  # so many cards that their choices cannot be counted, and no list of actions
    openly.AUCTION,  # bids up to a million, at once
    openly.OPEN,  # a list of actions, though one of the questions is for a text
]
UNBOUNDED = {face_down.SOUND.name: {"cards": 3}, outcry.OUTCRY.name: {"lots": 1}}
"""Values of options without bounds, which nothing else names."""

SMALL = [
    pytest.param(
        game,
        {"nothing_hidden": game in OPEN, "option_sets": [UNBOUNDED.get(game.name, {})]},
        id=game.name,
    )
    for game in (*HIDING, *OPEN)
]


@pytest.mark.parametrize(("game", "more"), SMALL)
def test_a_sound_game_keeps_the_contract(game: Game, more: dict[str, Any]) -> None:
    """Whatever its style, a small game needs few cases."""
    keeps(contract(game, max_examples=2, **more), without=SETS)


@pytest.mark.release  # `TestHigher` and the bundled games keep it in every run
@pytest.mark.parametrize(("game", "more"), SMALL)
def test_a_sound_game_does_not_depend_on_sets(game: Game, more: dict[str, Any]) -> None:
    """Other interpreters play the same games."""
    run(contract(game, max_examples=4, **more), SETS)


def test_a_sound_game_is_sound_again() -> None:
    """A test of the contract leaves nothing behind that a second run would find."""
    made = contract(styles.CLAIMS, max_examples=4)
    for _ in range(2):
        run(made, "hidden_positions_stay_secret_until_an_answer")
        run(made, "simultaneous_answers_stay_secret")
