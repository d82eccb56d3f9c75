"""SQLite in the process of the tests does not wait for the disk: no machine fails in a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def quick_commits() -> Iterator[None]:
    """Have a commit return before it is on the disk; programs that are started wait as always."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.tournament.store.connection.SYNCHRONOUS", "OFF")
        yield
