"""What the tests of the core and of the whole share: the checkout, and the `arena` command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command import cli, install, mark, quick
from tests.support.tournaments.inline_workers import inline_workers
from tests.support.tournaments.quick_commits import quick_commits

__all__ = ["cli", "inline_workers", "install", "mark", "quick", "quick_commits"]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout's folder."""
    return ROOT
