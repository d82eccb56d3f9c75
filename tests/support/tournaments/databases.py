"""Fixtures, for modules that name this one in their `pytest_plugins`: a database of either kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tournaments.postgresql import Server, run_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return a PostgreSQL server that all tests share."""
    with run_server(Path(os.environ["XDG_CACHE_HOME"])) as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Return the address of a database that is not there yet, or is empty."""
    if request.param == "sqlite":
        return tmp_path / "tournament.db"
    server: Server = request.getfixturevalue("server")
    return server.create_empty_database()
