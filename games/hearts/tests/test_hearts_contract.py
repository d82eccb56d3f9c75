"""Hearts keeps the contract of every game."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path

import pytest

from arena.testing import Contract, SecretAlternatives
from arena_hearts import GAME, Hearts, HeartsPosition
from arena_hearts.bots import MonteCarloPlayer, MoonShooter
from arena_hearts.rules import build_pack

PACK = build_pack(4)
HANDS = (PACK[:13], PACK[13:26], PACK[26:39], PACK[39:])
REST = tuple((seat, HANDS[seat][:3]) for seat in (1, 2, 3))

PASSED = SecretAlternatives(
    HeartsPosition(Hearts(deals=1), HANDS, "right"),
    answers=((0, HANDS[0][4:7]), *REST),
    other_answers=((0, HANDS[0][5:8]), *REST),
    blind_seats=(1, 2),
)
"""Which cards were passed is seen by who gave and who got them, and by no other."""


class TestHearts(Contract):
    """Single deals keep its games short, which are long all the same: few will do."""

    game = GAME
    golden = Path(__file__).parent / "golden"
    fixed_options = {"deals": 1}
    secrets = (PASSED,)
    max_examples = 4

    @pytest.fixture(autouse=True)
    def imagine_few_deals(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the bots that deal the unseen cards do so once, not twenty times."""
        for kind in (MonteCarloPlayer, MoonShooter):
            monkeypatch.setattr(kind, "__init__", partialmethod(kind.__init__, worlds=1))
