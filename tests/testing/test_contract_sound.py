"""Sound games hold to the contract, in whatever style they are written."""

from __future__ import annotations

from typing import ClassVar

import pytest

from arena import Game
from arena.testing import LAWS, Contract
from tests.testing.games import face_down, gifts, openly, outcry, styles
from tests.testing.games.higher import HIGHER
from tests.testing.games.holding import GOLDEN, TESTS, run
from tests.testing.games.sealed import SEALED

SETS = "the_order_of_sets_does_not_matter"  # starts interpreters
pytestmark = pytest.mark.slow  # whole contracts, and other interpreters


class TestHigher(Contract):
    """Hidden hands, a hidden stock, a question for one and one for all, a text wire."""

    game = HIGHER
    golden = GOLDEN
    max_examples = 12
    secrets = (SEALED,)


class Small(Contract):
    """The same for small games, of which some cases are enough."""

    golden = GOLDEN
    max_examples: ClassVar[int] = 4

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Leave to a release what takes longest; `TestHigher` and the bundled games keep it."""
        if "law" in metafunc.fixturenames:
            later = pytest.param(SETS, marks=pytest.mark.release)
            metafunc.parametrize("law", [later if law == SETS else law for law in LAWS])


class TestClaims(Small):
    """What others answer before is public, depends on hidden cards; the narrator keeps count."""

    game = styles.CLAIMS


class TestDiscards(Small):
    """Some of a hidden hand, or nothing."""

    game = styles.DISCARDS


class TestFaceDown(Small):
    """Cards are passed face down, looked at by one seat, passed on, and turned up."""

    game = face_down.SOUND


class TestGifts(Small):
    """Secret answers of which a sum is announced, and later a part of each."""

    game = gifts.SOUND
    nothing_hidden = True


class TestRace(Small):
    """The deal asks, arrival counts, seats drop out, scores are fractions, options are its own."""

    game = openly.RACE
    nothing_hidden = True


class TestOutcry(Small):
    """Whoever answers first ends the ask; a wire that says so to the others."""

    game = outcry.OUTCRY


class TestWords(Small):
    """Texts."""

    game = openly.WORDS
    nothing_hidden = True


class TestPatience(Small):
    """One seat."""

    game = styles.PATIENCE


class TestCoin(Small):
    """Nobody is asked."""

    game = openly.COIN
    nothing_hidden = True


class TestPacks(Small):
    """So many cards that their choices cannot be counted by `len`, and no list of actions."""

    game = openly.PACKS
    nothing_hidden = True


class TestAuction(Small):
    """Bids up to a million, at once."""

    game = openly.AUCTION
    nothing_hidden = True


class TestOpen(Small):
    """A list of actions, though one of the questions is for a text."""

    game = openly.OPEN
    nothing_hidden = True


@pytest.mark.parametrize("game", [HIGHER, styles.CLAIMS], ids=lambda game: game.name)
def test_sound_games_are_sound_again(game: Game) -> None:
    """A test of the contract leaves nothing behind that a second run would find."""
    for _ in range(2):
        made = type("TestIt", (Small,), {"game": game})()
        for name in (
            "hidden_positions_stay_secret_until_an_answer",
            "simultaneous_answers_stay_secret",
        ):
            assert name in TESTS
            run(made, name)
