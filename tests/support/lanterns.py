"""The game of teams and cooperation of the book: its very code, as a toy."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from arena.plugins import get_plugins
from tests.support.checkout import ROOT
from tests.testing.games import cups

PAGE = ROOT / "docs" / "tutorials" / "lanterns.md"
PAIRS = {"options": {"pairs": True}, "partners": ["steady"], "table": 4}
"""A table of it with partners, as an agent asks for it."""
LANTERNS = """
game = "lanterns"
table = 3
matches = 40
seed = "1"
workers = 1
"""
"""A tournament of it, without its entrants."""


def build_lanterns(folder: Path) -> ModuleType:
    """Return the module of the page's code up to its leak."""
    return cups.module("lanterns_of_the_book", "\n\n".join(cups.code_before_leak(PAGE)), folder)


def build_plugin_source() -> str:
    """Return the page's code as a plugin, for the fixture `install`."""
    hook = "from arena import hookimpl\n\n@hookimpl\ndef arena_games():\n    return [GAME]\n"
    return "\n\n".join([*cups.code_before_leak(PAGE), hook])


def install_lanterns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test find the game by its name."""
    game, plugins = build_lanterns(folder).GAME, get_plugins()
    monkeypatch.setitem(plugins.games, game.name, game)
    monkeypatch.setitem(plugins._completed, game.name, game)
