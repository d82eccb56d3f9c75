"""The game, in one object."""

from __future__ import annotations

from arena import Game
from arena_hearts.board import HeartsBoard
from arena_hearts.bots import BOTS
from arena_hearts.learning import Figures, actions
from arena_hearts.messages import MESSAGES
from arena_hearts.rules import Hearts
from arena_hearts.situations import SITUATIONS
from arena_hearts.view import RULES, view
from arena_hearts.wire import CUES, HeartsLines

GAME = Game(
    name="hearts",
    summary="Hearts: take no points in tricks, or take them all",
    variant=Hearts,
    seats=range(3, 6),
    messages=MESSAGES,
    wires={"text": HeartsLines},
    cues={"text": CUES},
    page="docs/writing-a-bot/hearts.md",
    view=view,
    board=HeartsBoard,
    bots=BOTS,
    situations=SITUATIONS,
    rules=RULES,
    opponents=("low", "careful", "counter", "shooter"),
    unit="deal",
    deals_hands=True,
    actions=actions,
    encoder=Figures,
)
