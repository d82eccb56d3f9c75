from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena_gops_solver import Kind, Solved, solve

Solve = Callable[..., Solved]


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solve:
    folder: Path = tmp_path_factory.mktemp("tables")

    def give(cards: int, objective: str = "points") -> Solved:
        return Solved(solve(Kind(cards, objective), folder / f"{cards}-{objective}"))

    return give
