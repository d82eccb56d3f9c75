"""The hooks of the plugin: its game, imported only when it is used."""

from __future__ import annotations

import arena


@arena.hookimpl
def arena_games() -> list[arena.Game]:
    """Return the game of this plugin."""
    from arena_hearts.game import GAME

    return [GAME]


@arena.hookimpl
def arena_insights() -> list[arena.Insights]:
    """Return the statistics of playing styles."""
    from arena_hearts.insights import INSIGHTS

    return [INSIGHTS]


@arena.hookimpl
def arena_hints() -> list[arena.HintSource]:
    """Register the strongest bundled bot as a source of hints."""
    from arena_hearts.bots import LowCardPlayer, MoonShooter

    return [arena.build_bot_hints("hearts", "shooter", MoonShooter, substitute=LowCardPlayer)]
