"""The game that `arena new-game` writes, imported into this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from arena import Game
from arena.scaffold import new_game


@contextmanager
def import_new_game(name: str, folder: Path) -> Iterator[Game]:
    """Write a new game into a folder, and yield it; nothing of it stays imported."""
    new_game(name, folder)
    package = f"arena_{name}"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / name)
        game: Game = import_module(package).GAME
        yield game
    for module in [module for module in sys.modules if module.partition(".")[0] == package]:
        del sys.modules[module]
