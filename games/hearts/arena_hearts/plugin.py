"""The hooks of the plugin: its game, imported only when it is used."""

from __future__ import annotations

from arena import Game, hookimpl


@hookimpl
def arena_games() -> list[Game]:
    """Return the game of this plugin."""
    from arena_hearts.game import GAME

    return [GAME]
