"""Hearts for the arena: rules, a line protocol, a view for people, bots."""

from __future__ import annotations

from arena import Game, hookimpl
from arena_hearts.bots import BOTS
from arena_hearts.learning import actions, encode
from arena_hearts.messages import MESSAGES
from arena_hearts.rules import Hearts, HeartsPosition
from arena_hearts.situations import SITUATIONS
from arena_hearts.view import view
from arena_hearts.wire import HeartsLines

__all__ = ["GAME", "Hearts", "HeartsLines", "HeartsPosition"]

GAME = Game(
    name="hearts",
    summary="Hearts: take no points in tricks, or take them all",
    variant=Hearts,
    seats=range(3, 6),
    messages=MESSAGES,
    wires={"text": HeartsLines},
    view=view,
    bots=BOTS,
    situations=SITUATIONS,
    deals_hands=True,
    actions=actions,
    encode=encode,
)


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    return [GAME]
