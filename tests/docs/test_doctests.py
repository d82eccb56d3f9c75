"""The examples in the docstrings of the core are what comes out."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.support.checkout import ROOT

CORE = ROOT
FOUND = sorted(
    ".".join(path.relative_to(CORE).with_suffix("").parts)
    for path in (CORE / "arena").rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", FOUND)
def test_examples_hold(name: str) -> None:
    """Each of a module's, and there is one."""
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed
