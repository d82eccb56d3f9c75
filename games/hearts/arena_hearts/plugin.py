"""What this plugin brings to the arena: a game, which is imported when it is asked for."""

from __future__ import annotations

from arena import Game, hookimpl


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    from arena_hearts.game import GAME

    return [GAME]
