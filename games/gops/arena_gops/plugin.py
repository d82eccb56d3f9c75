"""The hooks of the plugin: its game, imported only when it is used."""

from __future__ import annotations

from arena import Game, HintSource, Insights, build_bot_hints, hookimpl


@hookimpl
def arena_games() -> list[Game]:
    """Return the game of this plugin."""
    from arena_gops.game import GAME

    return [GAME]


@hookimpl
def arena_insights() -> list[Insights]:
    """Return the statistics of playing styles."""
    from arena_gops.insights import INSIGHTS

    return [INSIGHTS]


@hookimpl
def arena_hints() -> list[HintSource]:
    """Register the strongest bundled bot as a source of hints."""
    from arena_gops.bots import Outbidder

    return [build_bot_hints("gops", "outbid", Outbidder)]
