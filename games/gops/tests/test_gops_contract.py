"""GOPS keeps the contract of every game."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import arena_gops
from arena.testing import Contract
from arena_gops import GAME


class TestGops(Contract):
    """Also with a list of prizes, which no validator lists."""

    game = GAME
    max_examples = 5
    golden = Path(__file__).parent / "golden"
    option_sets = ({"cards": 3, "prizes": [2, 2, 9]}, {"cards": 4, "prizes": "ascending"})


def test_examples_in_docstrings_are_true() -> None:
    """Every example of every module of the game gives what it says, and there are some."""
    found = walk_packages(arena_gops.__path__, "arena_gops.")
    results = [doctest.testmod(import_module(module.name)) for module in found]
    assert sum(result.attempted for result in results) > 5
    assert sum(result.failed for result in results) == 0
