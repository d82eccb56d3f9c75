"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import arena_gops


def test_examples_in_docstrings_are_true() -> None:
    """Every example of every module of the game gives what it says, and there are some."""
    found = walk_packages(arena_gops.__path__, "arena_gops.")
    results = [doctest.testmod(import_module(module.name)) for module in found]
    assert sum(result.attempted for result in results) > 5
    assert sum(result.failed for result in results) == 0
