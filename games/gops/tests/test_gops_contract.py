"""GOPS keeps the contract of every game."""

from __future__ import annotations

from pathlib import Path

from arena.testing import Contract
from arena_gops import GAME


class TestGops(Contract):
    """Also with a list of prizes, which no validator lists."""

    game = GAME
    max_examples = 5
    golden = Path(__file__).parent / "golden"
    option_sets = ({"cards": 3, "prizes": [2, 2, 9]}, {"cards": 4, "prizes": "ascending"})
