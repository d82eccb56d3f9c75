"""The game, in one object."""

from __future__ import annotations

from arena import Game
from arena_bs.board import BsBoard
from arena_bs.bots import BOTS
from arena_bs.messages import MESSAGES, Taken
from arena_bs.rules import Bs
from arena_bs.situations import SITUATIONS
from arena_bs.view import RULES, view
from arena_bs.wire import CUES, BsLines

GAME = Game(
    name="bs",
    summary="BS (Cheat): lay cards face down, and claim what they are",
    variant=Bs,
    seats=range(2, 53),
    messages=MESSAGES,
    wires={"text": BsLines},
    cues={"text": CUES},
    page="docs/writing-a-bot/bs.md",
    view=view,
    board=BsBoard,
    bots=BOTS,
    situations=SITUATIONS,
    rules=RULES,
    opponents=("honest", "cautious", "liar", "caller", "counter"),
    unit="turn",
    demo=("counter", "liar", "honest", "caller"),
    deals_hands=True,
    reveals=(Taken,),
)
