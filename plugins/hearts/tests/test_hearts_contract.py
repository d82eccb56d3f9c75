"""Hearts keeps the contract of every game."""

from __future__ import annotations

from pathlib import Path

from arena.testing import Contract
from arena_hearts import GAME


class TestHearts(Contract):
    """Single deals keep its games short."""

    game = GAME
    golden = Path(__file__).parent / "golden"
    always = {"deals": 1}
