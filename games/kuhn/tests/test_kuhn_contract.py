"""Kuhn poker keeps the contract of every game."""

from __future__ import annotations

from pathlib import Path

from arena.testing import Contract
from arena_kuhn import GAME


class TestKuhn(Contract):
    """There are no options."""

    game = GAME
    golden = Path(__file__).parent / "golden"
