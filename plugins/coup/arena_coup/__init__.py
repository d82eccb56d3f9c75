"""Coup for the arena: rules, a line protocol, bots, a view for people."""

from __future__ import annotations

from arena import Game, hookimpl
from arena_coup.bots import BOTS
from arena_coup.learning import actions, encode
from arena_coup.messages import MESSAGES, Drawn
from arena_coup.rules import Coup, CoupPosition
from arena_coup.situations import SITUATIONS
from arena_coup.view import view
from arena_coup.wire import CoupLines

__all__ = ["GAME", "Coup", "CoupLines", "CoupPosition"]

GAME = Game(
    name="coup",
    summary="Coup: claim characters of the court, and be the last with influence",
    variant=Coup,
    seats=range(2, 7),
    messages=MESSAGES,
    wires={"text": CoupLines},
    view=view,
    bots=BOTS,
    situations=SITUATIONS,
    deals_hands=True,
    reveals=(Drawn,),
    actions=actions,
    encode=encode,
)


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    return [GAME]
