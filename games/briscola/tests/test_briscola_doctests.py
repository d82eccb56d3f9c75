"""The examples in docstrings are true."""

from __future__ import annotations

import doctest

from arena_briscola import bots, rules, show


def test_examples_in_docstrings_are_true() -> None:
    """Every example gives what it says, and there are some."""
    results = [doctest.testmod(module) for module in (bots, rules, show)]
    assert [result.failed for result in results] == [0, 0, 0]
    assert all(result.attempted for result in results)
