"""The hooks of the plugin: its game, imported only when it is used."""

from __future__ import annotations

from arena import Game, HintSource, build_bot_hints, hookimpl


@hookimpl
def arena_games() -> list[Game]:
    """Return the game of this plugin."""
    from arena_coup.game import GAME

    return [GAME]


@hookimpl
def arena_hints() -> list[HintSource]:
    """Register the strongest bundled bot as a source of hints."""
    from arena_coup.bots import CardCounter

    return [build_bot_hints("coup", "counter", CardCounter, playouts=True)]
