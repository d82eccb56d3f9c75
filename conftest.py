"""For all tests: what they solve and keep is not left in the user's cache."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

import pytest

WORKER = "PYTEST_XDIST_WORKER"  # workers have what their host has
CACHE = pytest.StashKey[TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Have a cache for this run."""
    if WORKER not in os.environ:
        config.stash[CACHE] = TemporaryDirectory(prefix="arena-cache-")
        os.environ["XDG_CACHE_HOME"] = config.stash[CACHE].name


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it."""
    if CACHE in config.stash:
        config.stash[CACHE].cleanup()
