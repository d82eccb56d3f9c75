"""Briscola holds to what every game holds to."""

from __future__ import annotations

import doctest
from pathlib import Path

from arena.testing import Contract
from arena_briscola import GAME, bots, rules, show


class TestBriscola(Contract):
    """The contract of every game."""

    game = GAME
    golden = Path(__file__).parent / "golden"
    max_examples = 4


def test_examples_in_docstrings_are_true() -> None:
    """Every example gives what it says, and there are some."""
    results = [doctest.testmod(module) for module in (bots, rules, show)]
    assert [result.failed for result in results] == [0, 0, 0]
    assert all(result.attempted for result in results)
