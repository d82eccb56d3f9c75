"""BS (Cheat) for the arena: rules, the published line protocol, bots, a view for people."""

from __future__ import annotations

from arena import Game, hookimpl
from arena_bs.bots import BOTS
from arena_bs.messages import MESSAGES, Taken
from arena_bs.rules import Bs, BsPosition
from arena_bs.situations import SITUATIONS
from arena_bs.view import view
from arena_bs.wire import BsLines

__all__ = ["GAME", "Bs", "BsLines", "BsPosition"]

GAME = Game(
    name="bs",
    summary="BS (Cheat): lay cards face down, and claim what they are",
    variant=Bs,
    seats=range(2, 53),
    messages=MESSAGES,
    wires={"text": BsLines},
    view=view,
    bots=BOTS,
    situations=SITUATIONS,
    demo=("counter", "liar", "honest", "caller"),
    deals_hands=True,
    reveals=(Taken,),
)


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    return [GAME]
