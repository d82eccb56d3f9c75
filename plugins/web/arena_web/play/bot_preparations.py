"""Bots that have to be prepared before they can play, such as by solving a game."""

from __future__ import annotations

from collections.abc import Callable

from arena import Bot, Game, UserError
from arena.host import BotClassFactory, parse_entrant
from arena.plugins import build_variant
from arena_web.play.offers import OpponentPool
from arena_web.preparations import Preparation, Preparations


def start_bot(preparations: Preparations, pool: OpponentPool, bot: str) -> None:
    """Begin to prepare a bot.

    Raises:
        UserError: if it needs none, something else is prepared, or no thread can start.
    """
    game = pool.game
    if not can_prepare(game, bot):
        raise UserError(f"{bot} needs no preparation")

    def prepare(report: Callable[[float], None]) -> None:
        factory = parse_entrant(game, bot).factory
        assert isinstance(factory, BotClassFactory)
        factory.create_bot().prepare(build_variant(game, {}), pool.usual, report)

    preparations.start(Preparation(game.name, bot), prepare)


def can_prepare(game: Game, bot: str) -> bool:
    """Return whether a bot of a game says how it is prepared."""
    return bot in game.bots and game.bots[bot].prepare is not Bot.prepare
