"""What tests of searches share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import Game
from tests.support.new_games import import_new_game


@pytest.fixture(scope="package")
def pips(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """Return the game that `arena new-game pips` writes."""
    with import_new_game("pips", tmp_path_factory.mktemp("new")) as game:
        yield game
