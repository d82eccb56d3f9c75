"""Briscola holds to what every game holds to."""

from __future__ import annotations

from pathlib import Path

from arena.testing import Contract
from arena_briscola import GAME


class TestBriscola(Contract):
    """The contract of every game."""

    game = GAME
    golden = Path(__file__).parent / "golden"
    max_examples = 6
